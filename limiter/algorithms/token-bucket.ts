/**
 * The token bucket: `burst` admissions at once, and from then on `limit` per window, evenly spread. It is kept as one time,
 * the one at which the bucket is full again (the generic cell rate algorithm, ITU-T I.371):
 *
 *     a token takes T = window / limit to come back; every admission moves fullAt by T
 *     full:  fullAt <= now                      ->  fullAt = now + T
 *     less:  fullAt <= now + (burst - 1) T      ->  fullAt = fullAt + T
 *     empty: otherwise; the next token is there at fullAt - (burst - 1) T
 *
 * DynamoDB has no maximum in its expressions, so the first two are a write each. The full one is tried first; the item that
 * a refused write brings along says which of the others holds. After a change of the limit, the first admission rewrites the
 * bucket for the new pace.
 *
 * For: short bursts, no crowd when a window opens, the smallest state. Against: a second write for every call but a first one.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Decision, LimitState, Scope } from '../policy/decision.ts';
import type { BucketPolicy } from '../policy/policy.ts';
import { hasId, idValues, newReservationId, once, type ReservationId } from '../store/reservation-id.ts';
import { type Change, type Item, StoreUnavailableError, type Table, write } from '../store/store.ts';
import { type Bucket, fullAtUnder, lastAdmitting, nextTokenAt, paceOf, tokensLeft } from './bucket-level.ts';

/** DynamoDB may delete an item this long after its bucket is full: an absent bucket is a full one. */
const KEPT_AFTER_FULL_S = 3_600;
/** Each lost race was lost to an admission or a release; so many in a row are something else. */
const MOST_ATTEMPTS = 20;

const WAS_FULL = '(attribute_not_exists(full_at) OR (full_at <= :now AND pace = :pace))';
const IS_BETWEEN = 'full_at > :now AND full_at <= :last_admitting AND pace = :pace';
const IS_UNCHANGED = 'full_at = :seen_full_at AND pace = :seen_pace AND latest = :seen_latest';

/** One call for a token. */
interface Call {
  readonly scope: Scope;
  readonly policy: BucketPolicy;
  readonly pk: string;
  readonly id: ReservationId;
  readonly nowUs: number;
}

/**
 * Takes a token, or says when the next one is there.
 * @param subject who is counted; ignored by a scope that counts all together
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
      const release = once(async (at) => tokenBucketState(await giveBack(table, call), scope, policy, at));
      return { admitted: true, state: stateOf(call, fullAt), release };
    }
    if (fullAt > lastAdmitting(policy, call.nowUs)) {
      return { admitted: false, state: stateOf(call, fullAt), retryAt: nextTokenAt(policy, fullAt) };
    }
    change = nextChange(call, bucket, fullAt);
  }
  throw new StoreUnavailableError(`The bucket ${scope.name} lost every race for a token.`);
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

/** `latest` only goes up: what a caller may give back depends on it, and some clocks are behind others. */
function takeAnother(call: Call, { latest }: Bucket): Change {
  const [update, isSo] = latest > call.nowUs ? ['', 'latest > :now'] : ['latest = :now, ', 'latest <= :now'];
  return take(call, `SET ${update}full_at = full_at + :pace, expires_at = :kept_until`, `${IS_BETWEEN} AND ${isSo}`, {
    ':pace': micros(paceOf(call.policy)),
    ':now': micros(call.nowUs),
    ':last_admitting': micros(lastAdmitting(call.policy, call.nowUs)),
  });
}

/** After the policy was changed. What was taken at another pace can't be given back: how much of it is left is not known. */
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
 * Gives the token back: whole, if nobody has taken one since. Else less the time until the latest that was taken: had ours
 * never been, the bucket might have been full by then, and what flowed in have been lost.
 *
 *     burst 2, T 10 s:   0 s ours    9 s another's   9 s release
 *     as it is           full at 10  full at 20      full at 19, had ours never been: a whole token back would be 9 s too early
 *
 * @returns the item as it stands then
 */
async function giveBack(table: Table, call: Call): Promise<Item> {
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
  throw new StoreUnavailableError(`The bucket ${call.scope.name} lost every race for giving back a token.`);
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

/** How the limit stands, by its item, at `now` in epoch milliseconds. */
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

/** The one item of a subject. */
export function tokenBucketKey(scope: Scope, policy: BucketPolicy, subject: string): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  return `${who}#bucket#${policy.windowMs / 1_000}`;
}
