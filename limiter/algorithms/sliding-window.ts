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
import type { Decision, LimitState, Scope } from '../policy/decision.ts';
import type { SlidingPolicy } from '../policy/policy.ts';
import { newReservationId, once } from '../store/reservation-id.ts';
import { type Change, type Item, StoreUnavailableError, type Table, write } from '../store/store.ts';

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
  const pk = slidingWindowKey(scope, policy, subject);
  const { value: id } = newReservationId(now);
  const admitted = (item: Item, index: number): Decision => ({
    admitted: true,
    state: stateOf(scope, policy, takenIn(item, now), now),
    release: once(async (at) => stateOf(scope, policy, takenIn(await giveBack(table, pk, index, id, now), at), at)),
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
      const kept = latest(takenIn(item, 0), policy.limit - 1);
      slot = kept.length;
      change = moveTogether(policy, item, kept, id, now);
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
    UpdateExpression: `SET s${slot} = :free_at, i${slot} = :id, slots = :limit, expires_at = :kept_until ADD version :one`,
    ConditionExpression: `(attribute_not_exists(slots) OR slots <= :limit) AND (attribute_not_exists(s${slot}) OR s${slot} <= :now)`,
    values: { ...placeValues(policy, id, now), ':now': { N: String(now) } },
    repeat: 'anytime',
  };
}

/**
 * After a limit was lowered: brings the latest slots below it, be they free by now, and takes the next one, under the
 * condition that nobody has changed the item meanwhile. A slot that is free keeps its time if there is room, because the
 * clock may be set back.
 */
function moveTogether(policy: SlidingPolicy, item: Item, kept: readonly Slot[], id: string, now: number): Change {
  const values: Record<string, AttributeValue> = placeValues(policy, id, now);
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

function placeValues(policy: SlidingPolicy, id: string, now: number): Record<string, AttributeValue> {
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
 * Frees the slot that holds the reservation: the one it took, or the one it was moved to since. It is free as of the moment
 * at which it was taken, and not as of ever: a clock that is behind must not take what was another's until then.
 * @returns the item as it stands then
 */
async function giveBack(table: Table, pk: string, index: number, id: string, takenAt: number): Promise<Item> {
  const { applied, item } = await write(table, pk, {
    UpdateExpression: `SET s${index} = :taken_at REMOVE i${index} ADD version :one`,
    ConditionExpression: `i${index} = :id`,
    values: { ':id': { S: id }, ':taken_at': { N: String(takenAt) }, ':one': { N: '1' } },
    repeat: 'anytime',
  });
  const moved = applied ? undefined : takenIn(item, 0).find((each) => each.id === id);
  return moved === undefined ? item : await giveBack(table, pk, moved.index, id, takenAt);
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

/** How the limit stands, by its item, at `now` in epoch milliseconds. */
export function slidingWindowState(item: Item, scope: Scope, policy: SlidingPolicy, now: number): LimitState {
  return stateOf(scope, policy, takenIn(item, now), now);
}

function slotsOf(item: Item): number {
  return numberIn(item, 'slots');
}

function numberIn(item: Item, attribute: string): number {
  return Number(item[attribute]?.N ?? 0);
}

/** The one item of a subject. */
export function slidingWindowKey(scope: Scope, policy: SlidingPolicy, subject: string): string {
  const who = scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
  return `${who}#sliding#${policy.windowMs / 1_000}`;
}
