/**
 * How an item recognises a write that it has already seen. When DynamoDB's answer is lost, the SDK sends the same write
 * again: the id in it tells a repeat from a second caller.
 *
 * Ids need to be known only while a request lasts, so they are kept by generation, in four sets that take turns:
 *
 *     time    |  generation g-1  |  generation g  |  generation g+1  |  generation g+2  |
 *     set     |  ids_a           |  ids_b         |  ids_c           |  ids_d           |
 *
 * A write of generation g adds to its own set, leaves those beside it, and empties the fourth. It leaves the one to come
 * because somebody whose clock is a millisecond ahead may have written to it already. So an id lives for a generation at
 * least, by whatever clock, and an item holds no more ids than were taken in four. An item that can never hold many need
 * not be emptied.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './store.ts';

/** Longer than any request that may still repeat its write, or give its place back. */
const GENERATION_MS = 30_000;
const SETS = ['ids_a', 'ids_b', 'ids_c', 'ids_d'] as const;

export interface ReservationId {
  readonly value: string;
  /** The attribute that holds it. */
  readonly set: (typeof SETS)[number];
  /** The attribute that its write empties. */
  readonly oldSet: (typeof SETS)[number];
}

/** Unique among the ids of one item: 48 random bits, 8 characters. */
export function newReservationId(now: number): ReservationId {
  const generation = Math.floor(now / GENERATION_MS);
  return {
    value: Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString('base64url'),
    set: SETS[generation % 4] ?? SETS[0],
    oldSet: SETS[(generation + 2) % 4] ?? SETS[2],
  };
}

/** For expressions: `:id` is the id itself, `:ids` the set of it alone. */
export function idValues({ value }: ReservationId): Record<string, AttributeValue> {
  return { ':id': { S: value }, ':ids': { SS: [value] } };
}

export function hasId(item: Item, { value, set }: ReservationId): boolean {
  return item[set]?.SS?.includes(value) === true;
}

/** The first call acts; later ones share its outcome. */
export function once<Outcome>(act: (now: number) => Promise<Outcome>): (now: number) => Promise<Outcome> {
  let acted: Promise<Outcome> | undefined;
  return (now) => {
    acted ??= act(now);
    return acted;
  };
}
