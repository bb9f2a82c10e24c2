/**
 * Where each client's figures lie: one record of 160 bytes each, side by side in one buffer. An event touches most of its
 * client's figures, and a column for each would be a dozen cache misses in place of three.
 *
 * The buffer is allocated at once: what no client has touched costs no memory, and untouched means 0.
 */
import { KEPT_INTERVALS } from './interval-ring.ts';

export interface ClientRecords {
  readonly float64: Float64Array;
  readonly uint32: Uint32Array;
  readonly uint16: Uint16Array;
  readonly uint8: Uint8Array;
}

const BYTES = 160;

/** In units of each view. */
export const RECORD = { float64: BYTES / 8, uint32: BYTES / 4, uint16: BYTES / 2, uint8: BYTES } as const;

/** Places within a record, in units of the view that is named. */
export const FLOAT64 = { mean: 0, squares: 1, lastTime: 2 } as const;
export const UINT32 = {
  requests: 6,
  connects: 7,
  retries: 8,
  intervals: 9,
  written: 10,
  shortSessions: 11,
  newestBucket: 12,
  inWindow: 13,
  peak: 14,
} as const;
export const UINT8 = { flags: 60, lastType: 61 } as const;
export const PEAK_BUCKETS = 12;
export const UINT16 = { slot: 31, buckets: 32, ring: 32 + PEAK_BUCKETS } as const;

const END_OF_RING = 2 * (UINT16.ring + KEPT_INTERVALS);
if (END_OF_RING > BYTES) {
  throw new RangeError('The ring of intervals does not fit into a record.');
}

export function createClientRecords(maxClients: number): ClientRecords {
  const buffer = new ArrayBuffer(maxClients * BYTES);
  return {
    float64: new Float64Array(buffer),
    uint32: new Uint32Array(buffer),
    uint16: new Uint16Array(buffer),
    uint8: new Uint8Array(buffer),
  };
}
