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
import type { Decision, LimitState, Scope } from '../policy/decision.ts';
import type { FixedPolicy } from '../policy/policy.ts';
import { hasId, idValues, newReservationId, once, type ReservationId } from '../store/reservation-id.ts';
import { type Change, type Item, type Table, write } from '../store/store.ts';

/** Without parentheses before an `AND`, which binds first: where nothing is counted, there are no ids either. */
const IS_BELOW_LIMIT = 'attribute_not_exists(cnt) OR cnt < :limit';
const COUNT = 'SET expires_at = :kept_until ADD cnt :one';
const IS_ABOVE_ZERO = 'cnt > :zero';

/** So many places' ids fit into one write unit. They need no emptying, which would be a clause more in each write. */
const FEW_PLACES = 100;

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
  const resetAt = windowEnd(policy, now);
  const id = newReservationId(now);
  const pk = fixedWindowKey(scope, policy, subject, now);

  const outcome = await write(table, pk, reservation(scope, policy, id, resetAt));

  const state = (count: number) => stateOf(scope, policy, count, resetAt);
  if (!(outcome.applied || hasId(outcome.item, id))) {
    return { admitted: false, state: state(policy.limit), retryAt: resetAt };
  }
  const release = once(async () => state(countOf(await giveBack(table, scope, pk, id))));
  return { admitted: true, state: state(countOf(outcome.item)), release };
}

function reservation(scope: Scope, policy: FixedPolicy, id: ReservationId, resetAt: number): Change {
  const values = {
    ':one': { N: '1' },
    ':limit': { N: String(policy.limit) },
    ':kept_until': { N: String(resetAt / 1_000 + KEPT_AFTER_CLOSING_S) },
  };
  return scope.counts === 'each'
    ? {
        UpdateExpression: `${COUNT}, ${id.set} :ids${policy.limit > FEW_PLACES ? ` REMOVE ${id.oldSet}` : ''}`,
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
 * Takes one from the window that was reserved in, be it closed by now. A failed condition means it is done already.
 * @returns the window's item as it stands then
 */
async function giveBack(table: Table, scope: Scope, pk: string, id: ReservationId): Promise<Item> {
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

/** How the limit stands, by its item, at `now` in epoch milliseconds. */
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
