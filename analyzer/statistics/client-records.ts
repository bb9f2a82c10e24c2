/**
 * Stores the figures of each client that nearly every event changes: one record of 64 bytes per client, all in one buffer. A
 * column per figure would cause a dozen cache misses instead of one.
 *
 * The buffer is allocated at once. Untouched pages use no memory, and untouched values are 0.
 */

export interface ClientRecords {
  readonly float64: Float64Array;
  readonly uint32: Uint32Array;
  readonly uint16: Uint16Array;
  readonly uint8: Uint8Array;
}

const BYTES = 64;

/** The size of a record, in units of each view. */
export const RECORD = { float64: BYTES / 8, uint32: BYTES / 4, uint16: BYTES / 2, uint8: BYTES } as const;

/** Positions within a record, in units of the view that the constant is named after. */
export const FLOAT64 = { mean: 0, squares: 1, lastTime: 2, sum: 7 } as const;
export const UINT32 = { requests: 6, connects: 7, retries: 8, intervals: 9, written: 10, shortSessions: 12 } as const;
export const UINT8 = { flags: 44, lastType: 45 } as const;
export const UINT16 = { slot: 23 } as const;

export function createClientRecords(maxClients: number): ClientRecords {
  const buffer = new ArrayBuffer(maxClients * BYTES);
  return {
    float64: new Float64Array(buffer),
    uint32: new Uint32Array(buffer),
    uint16: new Uint16Array(buffer),
    uint8: new Uint8Array(buffer),
  };
}
