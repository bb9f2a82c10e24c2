/**
 * Counts events over time in a fixed number of bars, however long the log is: when the log outgrows them, every two bars are
 * merged into one. Counts all events, the retries, and the events of a few clients on the same time axis.
 */
import { RETRY } from '../parsing/event.ts';
import { type FleetEvents, UNTRACKED } from './fleet-events.ts';

export interface TimeBars {
  /** Timestamps must be in ascending order. @param slotOf the slot of a client, 1 or greater; 0 if it has none */
  readonly add: (events: FleetEvents, slotOf: (client: number) => number) => void;
  readonly clear: (slot: number) => void;
  /** @returns undefined before the first event */
  readonly read: () => Bars | undefined;
}

export interface Bars {
  readonly from: number;
  readonly barMs: number;
  readonly events: number[];
  readonly retries: number[];
  readonly of: (slot: number) => number[];
}

export const BARS = 480;
const SHORTEST_BAR_MS = 100;
const EVENTS_ROW = 0;

export function createTimeBars(slots: number): TimeBars {
  const retriesRow = slots + 1;
  const counts = new Uint32Array((retriesRow + 1) * BARS);
  let from = Number.NaN;
  let barMs = SHORTEST_BAR_MS;
  let last = 0;
  /** The bar of the last event, and the end of that bar in milliseconds. */
  let bar = 0;
  let barEnd = Number.NEGATIVE_INFINITY;

  function doubleBars(): void {
    for (let row = 0; row < counts.length; row += BARS) {
      halve(counts.subarray(row, row + BARS));
    }
    barMs *= 2;
  }

  function moveTo(time: number): void {
    if (Number.isNaN(from)) {
      // Starts at a whole second, so that bars line up with the seconds of the clock.
      from = Math.floor(time / 1_000) * 1_000;
    }
    while (time - from >= barMs * BARS) {
      doubleBars();
    }
    bar = Math.floor((time - from) / barMs);
    barEnd = from + (bar + 1) * barMs;
  }

  function increment(row: number): void {
    const place = row * BARS + bar;
    counts[place] = (counts[place] ?? 0) + 1;
  }

  function incrementSlot(slot: number): void {
    if (slot > 0) {
      increment(slot);
    }
  }

  function read(row: number): number[] {
    return Array.from(counts.subarray(row * BARS, row * BARS + Math.floor((last - from) / barMs) + 1));
  }

  return {
    add({ length, timestamps, clients, types }, slotOf) {
      for (let row = 0; row < length; row += 1) {
        const time = timestamps[row] ?? 0;
        if (time >= barEnd) {
          moveTo(time);
        }
        increment(EVENTS_ROW);
        if (types[row] === RETRY) {
          increment(retriesRow);
        }
        const client = clients[row] ?? UNTRACKED;
        if (client !== UNTRACKED) {
          incrementSlot(slotOf(client));
        }
      }
      last = timestamps[length - 1] ?? last;
    },
    clear(slot) {
      counts.fill(0, slot * BARS, (slot + 1) * BARS);
    },
    read() {
      return Number.isNaN(from)
        ? undefined
        : { from, barMs, events: read(EVENTS_ROW), retries: read(retriesRow), of: read };
    },
  };
}

/** Merges every two bars into one. */
function halve(bars: Uint32Array): void {
  for (let bar = 0; bar < BARS / 2; bar += 1) {
    bars[bar] = (bars[2 * bar] ?? 0) + (bars[2 * bar + 1] ?? 0);
  }
  bars.fill(0, BARS / 2);
}
