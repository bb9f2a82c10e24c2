/**
 * Ids that make writes idempotent. If DynamoDB's response is lost, the SDK retries the same write. The id in the write shows that
 * it is a retry and not a second caller.
 *
 * An id is needed only as long as its request lasts. So ids are stored by generation, in four sets that rotate:
 *
 *     time    |  generation g-1  |  generation g  |  generation g+1  |  generation g+2  |
 *     set     |  ids_a           |  ids_b         |  ids_c           |  ids_d           |
 *
 * A write of generation g adds to its own set, keeps the sets of g-1 and g+1, and removes the fourth set. It keeps the set of g+1
 * because a caller whose clock is a millisecond ahead may already have written to it. So an id lives for at least one generation,
 * by any clock, and an item holds at most the ids of four generations. Sets are not removed from an item that can never hold
 * many ids.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './store.ts';

/** Longer than any request that may still retry its write, or release its reservation. */
const GENERATION_MS = 30_000;
const SETS = ['ids_a', 'ids_b', 'ids_c', 'ids_d'] as const;

export interface ReservationId {
  readonly value: string;
  /** The attribute that stores the id. */
  readonly set: (typeof SETS)[number];
  /** The attribute that the write removes. */
  readonly oldSet: (typeof SETS)[number];
}

/** A new id, unique within one item: 48 random bits, 8 characters. */
export function newReservationId(now: number): ReservationId {
  const generation = Math.floor(now / GENERATION_MS);
  return {
    value: Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString('base64url'),
    set: SETS[generation % 4] ?? SETS[0],
    oldSet: SETS[(generation + 2) % 4] ?? SETS[2],
  };
}

/** Values for expressions: `:id` is the id, and `:ids` is a set that contains only the id. */
export function idValues({ value }: ReservationId): Record<string, AttributeValue> {
  return { ':id': { S: value }, ':ids': { SS: [value] } };
}

export function hasId(item: Item, { value, set }: ReservationId): boolean {
  return item[set]?.SS?.includes(value) === true;
}

/** Runs `act` on the first call. Later calls return the same promise. */
export function once<Outcome>(act: (now: number) => Promise<Outcome>): (now: number) => Promise<Outcome> {
  let acted: Promise<Outcome> | undefined;
  return (now) => {
    acted ??= act(now);
    return acted;
  };
}
