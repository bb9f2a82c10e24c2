/**
 * The figures of each client that do not depend on the order of its events: counts, and the mean and spread of its
 * intervals.
 */

import { CONNECT, RETRY } from '../parsing/event.ts';
import { type ClientRecords, FLOAT64, RECORD, UINT32 } from './client-records.ts';
import { type CountedEvents, UNTRACKED } from './fleet-events.ts';

export interface ClientTotals {
  /** @param onCount called with the new number of events of a client */
  readonly add: (events: CountedEvents, onCount: (client: number, requests: number) => void) => void;
  readonly read: (client: number) => Totals;
}

export interface Totals {
  readonly requests: number;
  readonly connects: number;
  readonly retries: number;
  /** Reported intervals only, in milliseconds; `deviation` is the population standard deviation. */
  readonly intervals: { readonly count: number; readonly mean: number; readonly deviation: number };
}

export function createClientTotals({ uint32, float64 }: ClientRecords): ClientTotals {
  function increment(place: number): number {
    const value = (uint32[place] ?? 0) + 1;
    uint32[place] = value;
    return value;
  }

  /** Welford's algorithm, because sums of squares lose precision (cancellation) if intervals are long and similar. */
  function addInterval(client: number, interval: number): void {
    const count = increment(client * RECORD.uint32 + UINT32.intervals);
    const place = client * RECORD.float64;
    const mean = float64[place + FLOAT64.mean] ?? 0;
    const difference = interval - mean;
    const moved = mean + difference / count;
    float64[place + FLOAT64.mean] = moved;
    float64[place + FLOAT64.sum] = (float64[place + FLOAT64.sum] ?? 0) + interval;
    float64[place + FLOAT64.squares] = (float64[place + FLOAT64.squares] ?? 0) + difference * (interval - moved);
  }

  /** Computed from the sum, so that 12.125 is rounded correctly: a running mean comes to 12.12499… */
  function meanOf(place: number, count: number): number {
    const mean = (float64[place + FLOAT64.sum] ?? 0) / count;
    // The sum of intervals near the largest double is Infinity.
    return Number.isFinite(mean) ? mean : (float64[place + FLOAT64.mean] ?? 0);
  }

  function addType(client: number, type: number): void {
    const place = client * RECORD.uint32;
    if (type === CONNECT) {
      increment(place + UINT32.connects);
    } else if (type === RETRY) {
      increment(place + UINT32.retries);
    }
  }

  return {
    add({ length, clients, types, intervals }, onCount) {
      for (let row = 0; row < length; row += 1) {
        const client = clients[row] ?? UNTRACKED;
        if (client === UNTRACKED) {
          continue;
        }
        addType(client, types[row] ?? 0);
        const interval = intervals[row] ?? Number.NaN;
        if (!Number.isNaN(interval)) {
          addInterval(client, interval);
        }
        onCount(client, increment(client * RECORD.uint32 + UINT32.requests));
      }
    },
    read(client) {
      const place = client * RECORD.uint32;
      const count = uint32[place + UINT32.intervals] ?? 0;
      const floats = client * RECORD.float64;
      return {
        requests: uint32[place + UINT32.requests] ?? 0,
        connects: uint32[place + UINT32.connects] ?? 0,
        retries: uint32[place + UINT32.retries] ?? 0,
        intervals: {
          count,
          mean: count === 0 ? 0 : meanOf(floats, count),
          deviation: count === 0 ? 0 : Math.sqrt((float64[floats + FLOAT64.squares] ?? 0) / count),
        },
      };
    },
  };
}
