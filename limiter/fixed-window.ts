/**
 * The fixed window: at most `limit` admissions between two marks of the clock. One conditional write for a yes or a no.
 *
 *     |<------ window ------>|<------ window ------>|
 *     start                  resetAt, the next start
 *
 * The window's start is part of the item's key, so a new window is a new item and DynamoDB's late TTL deletion cannot
 * matter. The condition contains the limit: a refused call leaves the counter as it is, however often it is repeated.
 *
 * For: one write, smallest item, a reset everybody understands. Against: up to twice the limit can fall into one
 * window's length across a mark.
 */
import type { Decision, LimitState, Scope } from './decision.ts';
import type { FixedPolicy } from './policy.ts';
import { hasId, idValues, newReservationId, once, type ReservationId } from './reservation-id.ts';
import { type Change, type Item, type Table, write } from './store.ts';

const IS_BELOW_LIMIT = '(attribute_not_exists(cnt) OR cnt < :limit)';
const IS_ABOVE_ZERO = 'cnt > :zero';

/** DynamoDB may delete an item this long after its window closed: late enough for clocks that disagree. */
const KEPT_AFTER_CLOSING_S = 3_600;

/**
 * Takes a place in the current window, or says when the next one opens.
 * @param subject who is counted; ignored by a scope that counts all together
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function reserveInFixedWindow(
  table: Table,
  scope: Scope,
  policy: FixedPolicy,
  subject: string,
  now: number,
): Promise<Decision> {
  const startsAt = Math.floor(now / policy.windowMs) * policy.windowMs;
  const resetAt = startsAt + policy.windowMs;
  const id = newReservationId(now);
  const pk = itemKey(scope, policy, subject, startsAt);

  const outcome = await write(table, pk, reservation(scope, policy, id, resetAt));

  const state = (count: number): LimitState => ({
    scope: scope.name,
    limit: policy.limit,
    windowMs: policy.windowMs,
    remaining: Math.max(0, policy.limit - count),
    resetAt,
  });
  if (!(outcome.applied || hasId(outcome.item, id))) {
    return { admitted: false, state: state(policy.limit), retryAt: resetAt };
  }
  return { admitted: true, state: state(countOf(outcome.item)), release: once(() => release(table, scope, pk, id)) };
}

function reservation(scope: Scope, policy: FixedPolicy, id: ReservationId, resetAt: number): Change {
  const values = {
    ':one': { N: '1' },
    ':limit': { N: String(policy.limit) },
    ':kept_until': { N: String(resetAt / 1_000 + KEPT_AFTER_CLOSING_S) },
  };
  return scope.counts === 'each'
    ? {
        UpdateExpression: `SET expires_at = :kept_until ADD cnt :one, ${id.set} :ids REMOVE ${id.oldSet}`,
        ConditionExpression: `${IS_BELOW_LIMIT} AND NOT contains(${id.set}, :id)`,
        values: { ...values, ...idValues(id) },
        repeat: 'anytime',
      }
    : {
        UpdateExpression: 'SET expires_at = :kept_until ADD cnt :one',
        ConditionExpression: IS_BELOW_LIMIT,
        values,
        repeat: 'never',
      };
}

/** Takes one from the window that was reserved in, be it closed by now. A failed condition means it is done already. */
async function release(table: Table, scope: Scope, pk: string, id: ReservationId): Promise<void> {
  const values = { ':minus_one': { N: '-1' } };
  await write(
    table,
    pk,
    scope.counts === 'each'
      ? {
          UpdateExpression: `ADD cnt :minus_one DELETE ${id.set} :ids`,
          ConditionExpression: `contains(${id.set}, :id)`,
          values: { ...values, ...idValues(id) },
          repeat: 'anytime',
        }
      : {
          UpdateExpression: 'ADD cnt :minus_one',
          ConditionExpression: IS_ABOVE_ZERO,
          values: { ...values, ':zero': { N: '0' } },
          repeat: 'never',
        },
  );
}

function itemKey(scope: Scope, policy: FixedPolicy, subject: string, startsAt: number): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  return `${who}#${policy.windowMs / 1_000}#${startsAt / 1_000}`;
}

function countOf(item: Item): number {
  return Number(item['cnt']?.N ?? 0);
}
