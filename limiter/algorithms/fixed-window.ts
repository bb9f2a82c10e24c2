/**
 * The fixed window: at most `limit` admissions in each window. A decision takes one conditional write.
 *
 *     |<------ window ------>|<------ window ------>|
 *     start                  resetAt, the next start
 *
 * The window's start is part of the item's key. A new window is a new item, so it does not matter that DynamoDB deletes expired
 * items late. The condition contains the limit, so a refused call never changes the counter.
 *
 * Advantages: one write, the smallest item, and a reset time that is easy to understand. Disadvantage: around the end of a window,
 * up to twice the limit can be admitted within one window's length.
 */
import type { Decision, LimitState, Scope } from '../policy/decision.ts';
import type { FixedPolicy } from '../policy/policy.ts';
import { hasId, idValues, newReservationId, once, type ReservationId } from '../store/reservation-id.ts';
import { type Change, type Item, type Table, write } from '../store/store.ts';

/** Not in parentheses, although an `AND` that is appended binds to `cnt < :limit` only: an item without a count has no ids. */
const IS_BELOW_LIMIT = 'attribute_not_exists(cnt) OR cnt < :limit';
const COUNT = 'SET expires_at = :kept_until ADD cnt :one';
const IS_ABOVE_ZERO = 'cnt > :zero';

/** The ids of this many reservations fit into one write unit, so they need not be removed, and the write has one clause less. */
const FEW_RESERVATIONS = 100;

/** DynamoDB may delete an item this long after its window has ended. The time allows for clocks that differ. */
const KEPT_AFTER_END_S = 3_600;

/**
 * Reserves a call in the current window, or returns the start of the next window.
 * @param subject whose calls are counted; ignored by a scope that counts `all`
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
  const resetAt = windowEnd(policy, now);
  const id = newReservationId(now);
  const pk = fixedWindowKey(scope, policy, subject, now);

  const outcome = await write(table, pk, reservation(scope, policy, id, resetAt));

  const state = (count: number) => stateOf(scope, policy, count, resetAt);
  if (!(outcome.applied || hasId(outcome.item, id))) {
    return { admitted: false, state: state(policy.limit), retryAt: resetAt };
  }
  const release = once(async () => state(countOf(await releaseIn(table, scope, pk, id))));
  return { admitted: true, state: state(countOf(outcome.item)), release };
}

function reservation(scope: Scope, policy: FixedPolicy, id: ReservationId, resetAt: number): Change {
  const values = {
    ':one': { N: '1' },
    ':limit': { N: String(policy.limit) },
    ':kept_until': { N: String(resetAt / 1_000 + KEPT_AFTER_END_S) },
  };
  return scope.counts === 'each'
    ? {
        UpdateExpression: `${COUNT}, ${id.set} :ids${policy.limit > FEW_RESERVATIONS ? ` REMOVE ${id.oldSet}` : ''}`,
        ConditionExpression: `${IS_BELOW_LIMIT} AND NOT contains(${id.set}, :id)`,
        values: { ...values, ...idValues(id) },
        repeat: 'anytime',
        refusedItem: 'if repeated',
      }
    : {
        UpdateExpression: COUNT,
        ConditionExpression: IS_BELOW_LIMIT,
        values,
        repeat: 'never',
        refusedItem: 'if repeated',
      };
}

/**
 * Releases a reservation in its own window, even if that window has ended. A failed condition means that it was already released.
 * @returns the window's item after the release
 */
async function releaseIn(table: Table, scope: Scope, pk: string, id: ReservationId): Promise<Item> {
  const values = { ':minus_one': { N: '-1' } };
  const { item } = await write(
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
  return item;
}

/** The state of the limit at `now`, in epoch milliseconds, from its item. */
export function fixedWindowState(item: Item, scope: Scope, policy: FixedPolicy, now: number): LimitState {
  return stateOf(scope, policy, countOf(item), windowEnd(policy, now));
}

/** The item that counts at `now`, in epoch milliseconds. */
export function fixedWindowKey(scope: Scope, policy: FixedPolicy, subject: string, now: number): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  const startsAt = windowEnd(policy, now) - policy.windowMs;
  return `${who}#${policy.windowMs / 1_000}#${startsAt / 1_000}`;
}

function windowEnd({ windowMs }: FixedPolicy, now: number): number {
  return (Math.floor(now / windowMs) + 1) * windowMs;
}

function stateOf(scope: Scope, { limit, windowMs }: FixedPolicy, count: number, resetAt: number): LimitState {
  return { scope: scope.name, limit, windowMs, remaining: Math.max(0, limit - count), resetAt };
}

function countOf(item: Item): number {
  return Number(item['cnt']?.N ?? 0);
}
