/** Reads the last intervals of a client, in the order in which they arrived, from a ring buffer of codes. */

import type { Intervals } from './growth.ts';
import { isAfterConnect, octavesOf } from './interval-code.ts';

export const KEPT_INTERVALS = 32;

const octaves = new Float64Array(KEPT_INTERVALS);
const afterConnect = new Uint8Array(KEPT_INTERVALS);

/**
 * @param codes contain the ring, which starts at `from`
 * @param written number of codes that were ever written to the ring
 * @returns intervals that are valid until the next call: allocating them would take longer than judging them
 */
export function readIntervals(codes: Uint16Array, from: number, written: number): Intervals {
  const count = Math.min(written, KEPT_INTERVALS);
  // If the ring is full, the oldest code is at the position that is overwritten next.
  let place = written - count;
  for (let index = 0; index < count; index += 1) {
    const code = codes[from + (place % KEPT_INTERVALS)] ?? 0;
    octaves[index] = octavesOf(code);
    afterConnect[index] = isAfterConnect(code) ? 1 : 0;
    place += 1;
  }
  return { count, octaves, isAfterConnect: afterConnect };
}
