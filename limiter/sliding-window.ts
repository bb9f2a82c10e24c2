/**
 * The sliding window: never more than `limit` admissions in ANY window, exactly. The item holds a slot for each of them,
 * with the time at which it is free again.
 *
 *     slot     s0       s1       s2       (limit 3, window 1h, now 12:10)
 *     free at  12:55    12:05    -
 *              taken    free     free
 *
 * A call takes a random slot under the condition that it is free, without having read anything. If it is not, the refused
 * write brings the item along, which shows a free one to take instead, or when the first will be. A lost race costs one
 * write more, and can only be lost to somebody who was admitted.
 *
 * For: exact, one to two writes, one item whatever the number of windows. Against: an item of 100 slots is about 2.5 KB and
 * costs three write units each time, so the limit ends at 100.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Decision, LimitState, Scope } from './decision.ts';
import type { SlidingPolicy } from './policy.ts';
import { newReservationId, once } from './reservation-id.ts';
import { type Change, type Item, StoreUnavailableError, type Table, write } from './store.ts';

/** DynamoDB may delete an item this long after its last slot is free. */
const KEPT_AFTER_LAST_S = 3_600;
/** Beyond as many lost races as there are slots, releases and new limits must be interfering. */
const SPARE_ATTEMPTS = 8;

interface Slot {
  readonly index: number;
  /** Epoch milliseconds. */
  readonly freeAt: number;
  readonly id: string;
}

/**
 * Takes a free slot, or says when the first will be free.
 * @param subject who is counted; ignored by a scope that counts all together
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
  const pk = itemKey(scope, policy, subject);
  const { value: id } = newReservationId(now);
  const admitted = (item: Item, index: number): Decision => ({
    admitted: true,
    state: stateOf(scope, policy, takenIn(item, now), now),
    release: once(() => release(table, pk, index, id)),
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
      return { admitted: false, state: stateOf(scope, policy, taken, now), retryAt: reopening(taken, policy) };
    }
    if (slotsOf(item) > policy.limit) {
      slot = taken.length;
      change = moveTogether(policy, item, taken, id, now);
    } else {
      slot = pick(freeSlots(taken, policy.limit), random());
      change = takeSlot(policy, slot, id, now);
    }
  }
  throw new StoreUnavailableError(`The sliding window ${scope.name} lost every race for a slot.`);
}

/** Under the condition that the slot is free and no slot beyond the limit is in use, as one may be after it was lowered. */
function takeSlot(policy: SlidingPolicy, slot: number, id: string, now: number): Change {
  return {
    UpdateExpression: `SET s${slot} = :free_at, i${slot} = :id, slots = :limit, expires_at = :kept_until`,
    ConditionExpression: `(attribute_not_exists(slots) OR slots <= :limit) AND (attribute_not_exists(s${slot}) OR s${slot} <= :now)`,
    values: { ...placeValues(policy, id, now), ':now': { N: String(now) } },
    repeat: 'anytime',
  };
}

/**
 * After a limit was lowered: brings the slots that are taken below it, and takes the next one, under the condition that
 * nobody has changed the item meanwhile.
 */
function moveTogether(policy: SlidingPolicy, item: Item, taken: readonly Slot[], id: string, now: number): Change {
  const values: Record<string, AttributeValue> = placeValues(policy, id, now);
  const unchanged = ['slots = :slots'];
  const sets: string[] = [];
  const removes: string[] = [];
  values[':slots'] = { N: String(slotsOf(item)) };
  for (let index = 0; index < slotsOf(item); index += 1) {
    const freeAt = item[`s${index}`]?.N;
    unchanged.push(freeAt === undefined ? `attribute_not_exists(s${index})` : `s${index} = :old${index}`);
    if (freeAt !== undefined) {
      values[`:old${index}`] = { N: freeAt };
    }
    const moved = taken[index];
    if (moved !== undefined) {
      sets.push(`s${index} = :s${index}`, `i${index} = :i${index}`);
      values[`:s${index}`] = { N: String(moved.freeAt) };
      values[`:i${index}`] = { S: moved.id };
    } else if (index !== taken.length) {
      removes.push(`s${index}`, `i${index}`);
    }
  }
  const mine = taken.length;
  sets.push(`s${mine} = :free_at`, `i${mine} = :id`, 'slots = :limit', 'expires_at = :kept_until');
  return {
    UpdateExpression: `SET ${sets.join(', ')}${removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''}`,
    ConditionExpression: unchanged.join(' AND '),
    values,
    repeat: 'anytime',
  };
}

function placeValues(policy: SlidingPolicy, id: string, now: number): Record<string, AttributeValue> {
  const freeAt = now + policy.windowMs;
  return {
    ':free_at': { N: String(freeAt) },
    ':id': { S: id },
    ':limit': { N: String(policy.limit) },
    ':kept_until': { N: String(Math.ceil(freeAt / 1_000) + KEPT_AFTER_LAST_S) },
  };
}

/** Frees the slot that holds the reservation: the one it took, or the one it was moved to since. */
async function release(table: Table, pk: string, index: number, id: string): Promise<void> {
  const { applied, item } = await write(table, pk, {
    UpdateExpression: `REMOVE s${index}, i${index}`,
    ConditionExpression: `i${index} = :id`,
    values: { ':id': { S: id } },
    repeat: 'anytime',
  });
  const moved = applied ? undefined : takenIn(item, 0).find((each) => each.id === id);
  if (moved !== undefined) {
    await release(table, pk, moved.index, id);
  }
}

/** The slots that are not free, wherever they are, the first to be free first. */
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

function freeSlots(taken: readonly Slot[], limit: number): number[] {
  const isTaken = new Set(taken.map(({ index }) => index));
  return Array.from({ length: limit }, (_, index) => index).filter((index) => !isTaken.has(index));
}

function pick(slots: readonly number[], random: number): number {
  return slots[Math.floor(random * slots.length)] ?? 0;
}

/** When so many are free again that one is below the limit; with more taken than the limit, not the first. */
function reopening(taken: readonly Slot[], { limit }: SlidingPolicy): number {
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

function slotsOf(item: Item): number {
  return Number(item['slots']?.N ?? 0);
}

function itemKey(scope: Scope, policy: SlidingPolicy, subject: string): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  return `${who}#sliding#${policy.windowMs / 1_000}`;
}
