/**
 * The sliding window: never more than `limit` admissions in ANY period of the window's length. The item has one slot for each
 * admission, with the time at which the slot is free again.
 *
 *     slot     s0       s1       s2       (limit 3, window 1h, now 12:10)
 *     free at  12:55    12:05    -
 *              taken    free     free
 *
 * A call takes a random slot under the condition that the slot is free, without reading the item first. If the slot is taken, the
 * refused write returns the item, which shows a free slot, or the time at which the first slot becomes free. A lost race costs one
 * more write, and can only be lost to a caller who was admitted.
 *
 * Advantages: exact, one to two writes, and one item for all windows. Disadvantage: an item with 100 slots has about 2.5 KB and
 * costs three write units per write, so the limit is at most 100.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Decision, LimitState, Scope } from '../policy/decision.ts';
import type { SlidingPolicy } from '../policy/policy.ts';
import { newReservationId, once } from '../store/reservation-id.ts';
import { type Change, type Item, StoreUnavailableError, type Table, write } from '../store/store.ts';

/** DynamoDB may delete an item this long after its last slot has become free. */
const KEPT_AFTER_LAST_S = 3_600;
/** A caller can lose one race per slot. More attempts are needed only if releases and changes of the limit interfere. */
const SPARE_ATTEMPTS = 8;

interface Slot {
  readonly index: number;
  /** Epoch milliseconds. */
  readonly freeAt: number;
  readonly id: string;
}

/**
 * Takes a free slot, or returns the time at which the first slot becomes free.
 * @param subject whose calls are counted; ignored by a scope that counts `all`
 * @param now epoch milliseconds
 * @param random from 0 up to 1
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function reserveInSlidingWindow(
  table: Table,
  scope: Scope,
  policy: SlidingPolicy,
  subject: string,
  now: number,
  random: () => number = Math.random,
): Promise<Decision> {
  const pk = slidingWindowKey(scope, policy, subject);
  const { value: id } = newReservationId(now);
  const admitted = (item: Item, index: number): Decision => ({
    admitted: true,
    state: stateOf(scope, policy, takenIn(item, now), now),
    release: once(async (at) => stateOf(scope, policy, takenIn(await releaseSlot(table, pk, index, id, now), at), at)),
  });

  let slot = Math.floor(random() * policy.limit);
  let change = takeSlot(policy, slot, id, now);
  for (let attempt = 0; attempt <= policy.limit + SPARE_ATTEMPTS; attempt += 1) {
    const { applied, item } = await write(table, pk, change);
    if (applied) {
      return admitted(item, slot);
    }
    const taken = takenIn(item, now);
    const ours = taken.find((each) => each.id === id);
    if (ours !== undefined) {
      return admitted(item, ours.index);
    }
    if (taken.length >= policy.limit) {
      return { admitted: false, state: stateOf(scope, policy, taken, now), retryAt: nextFreeAt(taken, policy) };
    }
    if (slotsOf(item) > policy.limit) {
      const kept = latest(takenIn(item, 0), policy.limit - 1);
      slot = kept.length;
      change = compactSlots(policy, item, kept, id, now);
    } else {
      slot = pick(freeSlots(taken, policy.limit), random());
      change = takeSlot(policy, slot, id, now);
    }
  }
  throw new StoreUnavailableError(
    `The sliding window ${scope.name} is too busy: every attempt to take a slot lost a race.`,
  );
}

/** Condition: the slot is free, and no slot beyond the limit is in use, which happens after the limit was lowered. */
function takeSlot(policy: SlidingPolicy, slot: number, id: string, now: number): Change {
  return {
    UpdateExpression: `SET s${slot} = :free_at, i${slot} = :id, slots = :limit, expires_at = :kept_until ADD version :one`,
    ConditionExpression: `(attribute_not_exists(slots) OR slots <= :limit) AND (attribute_not_exists(s${slot}) OR s${slot} <= :now)`,
    values: { ...slotValues(policy, id, now), ':now': { N: String(now) } },
    repeat: 'anytime',
  };
}

/**
 * After a limit was lowered: moves the latest slots below the new limit, even if they are free now, and takes the next slot. The
 * condition is that no other caller has changed the item since it was read. A free slot keeps its time if there is room, because a
 * clock may be set back.
 */
function compactSlots(policy: SlidingPolicy, item: Item, kept: readonly Slot[], id: string, now: number): Change {
  const values: Record<string, AttributeValue> = slotValues(policy, id, now);
  values[':version'] = { N: String(numberIn(item, 'version')) };
  const sets = ['slots = :limit', 'expires_at = :kept_until', `s${kept.length} = :free_at`, `i${kept.length} = :id`];
  const removes: string[] = [];
  for (const [index, { freeAt, id: keptId }] of kept.entries()) {
    sets.push(`s${index} = :s${index}`, `i${index} = :i${index}`);
    values[`:s${index}`] = { N: String(freeAt) };
    values[`:i${index}`] = { S: keptId };
  }
  for (let index = kept.length + 1; index < slotsOf(item); index += 1) {
    removes.push(`s${index}`, `i${index}`);
  }
  return {
    UpdateExpression: `SET ${sets.join(', ')} REMOVE ${removes.join(', ')} ADD version :one`,
    ConditionExpression: 'version = :version',
    values,
    repeat: 'anytime',
  };
}

function slotValues(policy: SlidingPolicy, id: string, now: number): Record<string, AttributeValue> {
  const freeAt = now + policy.windowMs;
  return {
    ':free_at': { N: String(freeAt) },
    ':id': { S: id },
    ':limit': { N: String(policy.limit) },
    ':kept_until': { N: String(Math.ceil(freeAt / 1_000) + KEPT_AFTER_LAST_S) },
    ':one': { N: '1' },
  };
}

/**
 * Frees the slot of the reservation, which may have been moved since. The slot becomes free as of the time at which it was taken,
 * not earlier, because a caller whose clock is behind must not take a slot that was another caller's at that time.
 * @returns the item after the release
 */
async function releaseSlot(table: Table, pk: string, index: number, id: string, takenAt: number): Promise<Item> {
  const { applied, item } = await write(table, pk, {
    UpdateExpression: `SET s${index} = :taken_at REMOVE i${index} ADD version :one`,
    ConditionExpression: `i${index} = :id`,
    values: { ':id': { S: id }, ':taken_at': { N: String(takenAt) }, ':one': { N: '1' } },
    repeat: 'anytime',
  });
  const moved = applied ? undefined : takenIn(item, 0).find((each) => each.id === id);
  return moved === undefined ? item : await releaseSlot(table, pk, moved.index, id, takenAt);
}

/** The taken slots, including those beyond the limit, in the order in which they become free. */
function takenIn(item: Item, now: number): Slot[] {
  const slots: Slot[] = [];
  for (let index = 0; index < slotsOf(item); index += 1) {
    const freeAt = Number(item[`s${index}`]?.N ?? 0);
    if (freeAt > now) {
      slots.push({ index, freeAt, id: item[`i${index}`]?.S ?? '' });
    }
  }
  return slots.sort((a, b) => a.freeAt - b.freeAt);
}

function latest(slots: readonly Slot[], count: number): readonly Slot[] {
  return slots.slice(Math.max(0, slots.length - count));
}

function freeSlots(taken: readonly Slot[], limit: number): number[] {
  const isTaken = new Set(taken.map(({ index }) => index));
  return Array.from({ length: limit }, (_, index) => index).filter((index) => !isTaken.has(index));
}

function pick(slots: readonly number[], random: number): number {
  return slots[Math.floor(random * slots.length)] ?? 0;
}

/** The time at which fewer slots than the limit are taken. If more slots than the limit are taken, that is not the first one. */
function nextFreeAt(taken: readonly Slot[], { limit }: SlidingPolicy): number {
  return taken[taken.length - limit]?.freeAt ?? 0;
}

function stateOf(scope: Scope, policy: SlidingPolicy, taken: readonly Slot[], now: number): LimitState {
  return {
    scope: scope.name,
    limit: policy.limit,
    windowMs: policy.windowMs,
    remaining: Math.max(0, policy.limit - taken.length),
    resetAt: taken.at(-1)?.freeAt ?? now,
  };
}

/** The state of the limit at `now`, in epoch milliseconds, from its item. */
export function slidingWindowState(item: Item, scope: Scope, policy: SlidingPolicy, now: number): LimitState {
  return stateOf(scope, policy, takenIn(item, now), now);
}

function slotsOf(item: Item): number {
  return numberIn(item, 'slots');
}

function numberIn(item: Item, attribute: string): number {
  return Number(item[attribute]?.N ?? 0);
}

/** The key of the subject's item. */
export function slidingWindowKey(scope: Scope, policy: SlidingPolicy, subject: string): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  return `${who}#sliding#${policy.windowMs / 1_000}`;
}
