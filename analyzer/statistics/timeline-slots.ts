/**
 * Which few clients have a timeline kept: the first that come, and later those that ask at least twice as
 * much as the least of them. Whoever comes in late has a timeline from then on.
 */
import { type ClientRecords, RECORD, UINT16 } from './client-records.ts';

export interface TimelineSlots {
  /** Call it when a client's number of events has changed. */
  readonly consider: (client: number, events: number) => void;
  /** @returns 0 for none, else 1 and up */
  readonly slotOf: (client: number) => number;
}

export const SLOTS = 512;
/** Fewer are not worth another's timeline. */
const LEAST_EVENTS = 4;

/** @param onTaken the slot has a new client; what was in it is another's */
export function createTimelineSlots({ uint16 }: ClientRecords, onTaken: (slot: number) => void): TimelineSlots {
  const holders = new Uint32Array(SLOTS);
  const eventsOf = new Float64Array(SLOTS);
  let used = 0;
  /** At most as many as the least of them has, who only gets more. */
  let least = 0;

  function place(client: number, events: number, index: number): void {
    uint16[slotPlace(client)] = index + 1;
    holders[index] = client;
    eventsOf[index] = events;
    onTaken(index + 1);
  }

  function leastUsed(): number {
    let least = 0;
    for (let index = 1; index < SLOTS; index += 1) {
      least = (eventsOf[index] ?? 0) < (eventsOf[least] ?? 0) ? index : least;
    }
    return least;
  }

  return {
    consider(client, events) {
      const slot = uint16[slotPlace(client)] ?? 0;
      if (slot > 0) {
        eventsOf[slot - 1] = events;
      } else if (used < SLOTS) {
        place(client, events, used);
        used += 1;
      } else if (events >= LEAST_EVENTS && events >= 2 * least && (events & (events - 1)) === 0) {
        // At powers of two only, so that a log of many equal clients does not search the slots at each event.
        const index = leastUsed();
        least = eventsOf[index] ?? 0;
        if (events >= 2 * least) {
          uint16[slotPlace(holders[index] ?? 0)] = 0;
          place(client, events, index);
        }
      }
    },
    slotOf: (client) => uint16[slotPlace(client)] ?? 0,
  };
}

function slotPlace(client: number): number {
  return client * RECORD.uint16 + UINT16.slot;
}
