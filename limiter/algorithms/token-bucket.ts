/**
 * The token bucket: `burst` admissions at once, then `limit` per window, evenly spaced. Its state is one time, at which the bucket
 * is full again (the generic cell rate algorithm, ITU-T I.371):
 *
 *     one token refills in T = window / limit; every admission moves fullAt by T
 *     full:  fullAt <= now                      ->  fullAt = now + T
 *     less:  fullAt <= now + (burst - 1) T      ->  fullAt = fullAt + T
 *     empty: otherwise; the next token is available at fullAt - (burst - 1) T
 *
 * DynamoDB expressions have no maximum function, so the first two cases are separate writes. The write for a full bucket is tried
 * first. If it is refused, it returns the item, which shows the actual case. After a change of the limit, the first admission
 * rewrites the bucket for the new pace.
 *
 * Advantages: short bursts, no crowd at the start of a window, the smallest state. Disadvantage: every admission needs a second
 * write, unless the bucket is full.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Decision, LimitState, Scope } from '../policy/decision.ts';
import type { BucketPolicy } from '../policy/policy.ts';
import { hasId, idValues, newReservationId, once, type ReservationId } from '../store/reservation-id.ts';
import { type Change, type Item, StoreUnavailableError, type Table, write } from '../store/store.ts';
import { type Bucket, fullAtUnder, lastAdmitting, nextTokenAt, paceOf, tokensLeft } from './bucket-level.ts';

/** DynamoDB may delete an item this long after its bucket is full. An absent bucket counts as full. */
const KEPT_AFTER_FULL_S = 3_600;
/** Each race is lost to an admission or a release. More lost races in a row mean an error. */
const MOST_ATTEMPTS = 20;

const WAS_FULL = '(attribute_not_exists(full_at) OR (full_at <= :now AND pace = :pace))';
const IS_BETWEEN = 'full_at > :now AND full_at <= :last_admitting AND pace = :pace';
const IS_UNCHANGED = 'full_at = :seen_full_at AND pace = :seen_pace AND latest = :seen_latest';

/** One request for a token. */
interface Call {
  readonly scope: Scope;
  readonly policy: BucketPolicy;
  readonly pk: string;
  readonly id: ReservationId;
  readonly nowUs: number;
}

/**
 * Takes a token, or returns the time of the next token.
 * @param subject whose calls are counted; ignored by a scope that counts `all`
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function reserveInTokenBucket(
  table: Table,
  scope: Scope,
  policy: BucketPolicy,
  subject: string,
  now: number,
): Promise<Decision> {
  const call: Call = {
    scope,
    policy,
    pk: tokenBucketKey(scope, policy, subject),
    id: newReservationId(now),
    nowUs: now * 1_000,
  };

  let change = takeFirst(call);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const { applied, item } = await write(table, call.pk, change);
    const bucket = bucketIn(item);
    const fullAt = bucket === undefined ? call.nowUs : fullAtUnder(policy, bucket);
    if (applied || hasId(item, call.id)) {
      const release = once(async (at) => tokenBucketState(await releaseToken(table, call), scope, policy, at));
      return { admitted: true, state: stateOf(call, fullAt), release };
    }
    if (fullAt > lastAdmitting(policy, call.nowUs)) {
      return { admitted: false, state: stateOf(call, fullAt), retryAt: nextTokenAt(policy, fullAt) };
    }
    change = nextChange(call, bucket, fullAt);
  }
  throw new StoreUnavailableError(
    `The token bucket ${scope.name} is too busy: every attempt to take a token lost a race.`,
  );
}

function nextChange(call: Call, bucket: Bucket | undefined, fullAt: number): Change {
  if (bucket !== undefined && (bucket.pace !== paceOf(call.policy) || bucket.fullAt !== fullAt)) {
    return rewrite(call, bucket, fullAt);
  }
  return bucket !== undefined && fullAt > call.nowUs ? takeAnother(call, bucket) : takeFirst(call);
}

function takeFirst(call: Call): Change {
  const pace = paceOf(call.policy);
  return take(call, 'SET full_at = :full_at, pace = :pace, latest = :now, expires_at = :kept_until', WAS_FULL, {
    ':full_at': micros(call.nowUs + pace),
    ':pace': micros(pace),
    ':now': micros(call.nowUs),
  });
}

/** `latest` never decreases, although clocks differ, because it determines how much of a token may be released. */
function takeAnother(call: Call, { latest }: Bucket): Change {
  const [update, latestCondition] = latest > call.nowUs ? ['', 'latest > :now'] : ['latest = :now, ', 'latest <= :now'];
  return take(
    call,
    `SET ${update}full_at = full_at + :pace, expires_at = :kept_until`,
    `${IS_BETWEEN} AND ${latestCondition}`,
    {
      ':pace': micros(paceOf(call.policy)),
      ':now': micros(call.nowUs),
      ':last_admitting': micros(lastAdmitting(call.policy, call.nowUs)),
    },
  );
}

/** After a change of the policy. Tokens taken at the old pace cannot be released, because it is not known how much has refilled. */
function rewrite(call: Call, seen: Bucket, fullAt: number): Change {
  const pace = paceOf(call.policy);
  return take(
    call,
    'SET full_at = :full_at, pace = :pace, latest = :latest, since = :since, expires_at = :kept_until',
    IS_UNCHANGED,
    {
      ':full_at': micros(Math.max(fullAt, call.nowUs) + pace),
      ':pace': micros(pace),
      ':latest': micros(Math.max(seen.latest, call.nowUs)),
      ':since': micros(seen.latest + 1),
      ':seen_full_at': micros(seen.fullAt),
      ':seen_pace': micros(seen.pace),
      ':seen_latest': micros(seen.latest),
    },
  );
}

function take(call: Call, update: string, condition: string, values: Record<string, AttributeValue>): Change {
  const { scope, policy, id, nowUs } = call;
  const keptUntil = Math.ceil((lastAdmitting(policy, nowUs) + paceOf(policy)) / 1_000_000) + KEPT_AFTER_FULL_S;
  const all = { ...values, ':kept_until': { N: String(keptUntil) } };
  return scope.counts === 'each'
    ? {
        UpdateExpression: `${update} ADD ${id.set} :ids REMOVE ${id.oldSet}`,
        ConditionExpression: `${condition} AND NOT contains(${id.set}, :id)`,
        values: { ...all, ...idValues(id) },
        repeat: 'anytime',
      }
    : { UpdateExpression: update, ConditionExpression: condition, values: all, repeat: 'never' };
}

/**
 * Releases a token. It is refunded in full if no token was taken since. Otherwise the refund is reduced by the time until the latest
 * token was taken: without this reservation the bucket might have been full by then, and the refill would have been lost.
 *
 *     burst 2, T 10 s:   0 s ours    9 s another's   9 s release
 *     fullAt             10          20              19 without ours; with a full refund 10, which is 9 s too early
 *
 * @returns the item after the release
 */
async function releaseToken(table: Table, call: Call): Promise<Item> {
  let latest = call.nowUs;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const refund = paceOf(call.policy) - (latest - call.nowUs);
    const { applied, item } = await write(table, call.pk, refunding(call, refund, latest));
    const bucket = bucketIn(item);
    const isGone = bucket === undefined || bucket.since > call.nowUs || bucket.latest <= latest;
    const isKnown = call.scope.counts === 'all' || hasId(item, call.id);
    if (applied || isGone || !isKnown || bucket.latest - call.nowUs >= paceOf(call.policy)) {
      return item;
    }
    latest = bucket.latest;
  }
  throw new StoreUnavailableError(
    `The token bucket ${call.scope.name} is too busy: every attempt to release a token lost a race.`,
  );
}

function refunding({ scope, id, nowUs }: Call, refund: number, latest: number): Change {
  const update = 'SET full_at = full_at - :refund';
  const condition = '(attribute_not_exists(since) OR since <= :taken_at) AND latest <= :latest';
  const values = { ':refund': micros(refund), ':taken_at': micros(nowUs), ':latest': micros(latest) };
  return scope.counts === 'each'
    ? {
        UpdateExpression: `${update} DELETE ${id.set} :ids`,
        ConditionExpression: `${condition} AND contains(${id.set}, :id)`,
        values: { ...values, ...idValues(id) },
        repeat: 'anytime',
      }
    : { UpdateExpression: update, ConditionExpression: condition, values, repeat: 'never' };
}

function stateOf({ scope, policy, nowUs }: Pick<Call, 'scope' | 'policy' | 'nowUs'>, fullAt: number): LimitState {
  return {
    scope: scope.name,
    limit: policy.limit,
    windowMs: policy.windowMs,
    remaining: tokensLeft(policy, fullAt, nowUs),
    resetAt: Math.ceil(Math.max(fullAt, nowUs) / 1_000),
  };
}

/** The state of the limit at `now`, in epoch milliseconds, from its item. */
export function tokenBucketState(item: Item, scope: Scope, policy: BucketPolicy, now: number): LimitState {
  const nowUs = now * 1_000;
  const bucket = bucketIn(item);
  return stateOf({ scope, policy, nowUs }, bucket === undefined ? nowUs : fullAtUnder(policy, bucket));
}

function bucketIn(item: Item): Bucket | undefined {
  const number = (attribute: string) => Number(item[attribute]?.N ?? 0);
  return item['full_at'] === undefined
    ? undefined
    : { fullAt: number('full_at'), pace: number('pace'), latest: number('latest'), since: number('since') };
}

function micros(value: number): AttributeValue {
  return { N: String(value) };
}

/** The key of the subject's item. */
export function tokenBucketKey(scope: Scope, policy: BucketPolicy, subject: string): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  return `${who}#bucket#${policy.windowMs / 1_000}`;
}
