/**
 * Decides which few clients get a timeline: the first ones that appear, and later each client with at least twice as many
 * events as the smallest of them, which it replaces. Its timeline then starts at that moment.
 */
import { type ClientRecords, RECORD, UINT16 } from './client-records.ts';

export interface TimelineSlots {
  /** Must be called when a client's number of events has changed. */
  readonly consider: (client: number, events: number) => void;
  /** @returns the client's slot, 1 or greater; 0 if it has none */
  readonly slotOf: (client: number) => number;
}

export const SLOTS = 512;
/** A client with fewer events never replaces another one. */
const LEAST_EVENTS = 4;

/** @param onTaken called when a slot gets a new client, so that the previous client's counts can be cleared */
export function createTimelineSlots({ uint16 }: ClientRecords, onTaken: (slot: number) => void): TimelineSlots {
  const holders = new Uint32Array(SLOTS);
  const eventsOf = new Float64Array(SLOTS);
  let used = 0;
  /** A lower bound for the number of events of the smallest client in the slots; it can only be too low. */
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
        // Checked only at powers of two, so that in a log of many equal clients the slots are not searched for each event.
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
