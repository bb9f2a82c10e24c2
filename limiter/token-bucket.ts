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
 * a refused write brings along says which of the others holds.
 *
 * For: short bursts, no crowd when a window opens, the smallest state. Against: a second write for every call but a first one.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Decision, LimitState, Scope } from './decision.ts';
import type { BucketPolicy } from './policy.ts';
import { hasId, idValues, newReservationId, once, type ReservationId } from './reservation-id.ts';
import { type Change, type Item, StoreUnavailableError, type Table, write } from './store.ts';

/** DynamoDB may delete an item this long after its bucket is full: an absent bucket is a full one. */
const KEPT_AFTER_FULL_S = 3_600;
/** Each lost race was lost to an admission or a release; so many in a row are something else. */
const MOST_ATTEMPTS = 20;

const WAS_FULL = '(attribute_not_exists(full_at) OR full_at <= :now)';
const IS_ABOVE_EMPTY = 'full_at > :now AND full_at <= :last_admitting';

/** Times in whole microseconds, so that a T such as an hour's seventh loses nothing; rounded up, never too fast. */
function tokenUs({ windowMs, limit }: BucketPolicy): number {
  return Math.ceil((windowMs * 1_000) / limit);
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
  const pk = itemKey(scope, policy, subject);
  const id = newReservationId(now);
  const nowUs = now * 1_000;
  const lastAdmittingUs = nowUs + (policy.burst - 1) * tokenUs(policy);

  let change = takeFirst(scope, policy, id, nowUs);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const { applied, item } = await write(table, pk, change);
    if (applied || hasId(item, id)) {
      const state = stateOf(scope, policy, fullAtIn(item), nowUs);
      return { admitted: true, state, release: once((at) => release(table, scope, policy, pk, id, at - now)) };
    }
    const fullAt = fullAtIn(item);
    if (fullAt > lastAdmittingUs) {
      const retryAt = Math.ceil((fullAt - (policy.burst - 1) * tokenUs(policy)) / 1_000);
      return { admitted: false, state: stateOf(scope, policy, fullAt, nowUs), retryAt };
    }
    change =
      fullAt > nowUs ? takeAnother(scope, policy, id, nowUs, lastAdmittingUs) : takeFirst(scope, policy, id, nowUs);
  }
  throw new StoreUnavailableError(`The bucket ${scope.name} lost every race for a token.`);
}

function takeFirst(scope: Scope, policy: BucketPolicy, id: ReservationId, nowUs: number): Change {
  const fullAt = nowUs + tokenUs(policy);
  return take(scope, id, `SET full_at = :full_at, expires_at = :kept_until`, WAS_FULL, {
    ':full_at': { N: String(fullAt) },
    ':now': { N: String(nowUs) },
    ':kept_until': keptUntil(fullAt),
  });
}

function takeAnother(
  scope: Scope,
  policy: BucketPolicy,
  id: ReservationId,
  nowUs: number,
  lastAdmittingUs: number,
): Change {
  return take(scope, id, 'SET full_at = full_at + :token, expires_at = :kept_until', IS_ABOVE_EMPTY, {
    ':token': { N: String(tokenUs(policy)) },
    ':now': { N: String(nowUs) },
    ':last_admitting': { N: String(lastAdmittingUs) },
    ':kept_until': keptUntil(lastAdmittingUs + tokenUs(policy)),
  });
}

function take(
  scope: Scope,
  id: ReservationId,
  update: string,
  condition: string,
  values: Record<string, AttributeValue>,
): Change {
  return scope.counts === 'each'
    ? {
        UpdateExpression: `${update} ADD ${id.set} :ids REMOVE ${id.oldSet}`,
        ConditionExpression: `${condition} AND NOT contains(${id.set}, :id)`,
        values: { ...values, ...idValues(id) },
        repeat: 'anytime',
      }
    : { UpdateExpression: update, ConditionExpression: condition, values, repeat: 'never' };
}

/**
 * Gives back what can be given back: of a token that was held for a while, the rest. Had it never been taken, the bucket
 * might have been full meanwhile, and what flowed in have been lost; a whole token would then be more than there was.
 */
async function release(
  table: Table,
  scope: Scope,
  policy: BucketPolicy,
  pk: string,
  id: ReservationId,
  heldMs: number,
): Promise<void> {
  const token = tokenUs(policy);
  const refund = Math.min(token, token - heldMs * 1_000);
  if (refund <= 0) {
    return;
  }
  const values = { ':refund': { N: String(refund) } };
  const update = 'SET full_at = full_at - :refund';
  await write(
    table,
    pk,
    scope.counts === 'each'
      ? {
          UpdateExpression: `${update} DELETE ${id.set} :ids`,
          ConditionExpression: `contains(${id.set}, :id)`,
          values: { ...values, ...idValues(id) },
          repeat: 'anytime',
        }
      : { UpdateExpression: update, ConditionExpression: 'attribute_exists(full_at)', values, repeat: 'never' },
  );
}

function stateOf(scope: Scope, policy: BucketPolicy, fullAtUs: number, nowUs: number): LimitState {
  const { limit, windowMs, burst } = policy;
  const tokens = Math.floor((nowUs + burst * tokenUs(policy) - fullAtUs) / tokenUs(policy));
  return {
    scope: scope.name,
    limit,
    windowMs,
    remaining: Math.min(burst, Math.max(0, tokens)),
    resetAt: Math.max(Math.ceil(fullAtUs / 1_000), Math.ceil(nowUs / 1_000)),
  };
}

function fullAtIn(item: Item): number {
  return Number(item['full_at']?.N ?? 0);
}

function keptUntil(fullAtUs: number): AttributeValue {
  return { N: String(Math.ceil(fullAtUs / 1_000_000) + KEPT_AFTER_FULL_S) };
}

function itemKey(scope: Scope, policy: BucketPolicy, subject: string): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  return `${who}#bucket#${policy.windowMs / 1_000}`;
}
