/** The last intervals of a client, in the order in which they came: a ring of codes, and how to read it. */

import type { Intervals } from './growth.ts';
import { isAfterConnect, octavesOf } from './interval-code.ts';

export const KEPT_INTERVALS = 32;

const octaves = new Float64Array(KEPT_INTERVALS);
const afterConnect = new Uint8Array(KEPT_INTERVALS);

/**
 * @param codes of which a ring begins at `from`
 * @param written how many were ever written to it
 * @returns intervals that are valid until the next are read: to allocate them takes longer than to look at them
 */
export function readIntervals(codes: Uint16Array, from: number, written: number): Intervals {
  const count = Math.min(written, KEPT_INTERVALS);
  // Where more were written than there are places, the oldest is overwritten next.
  let place = written - count;
  for (let index = 0; index < count; index += 1) {
    const code = codes[from + (place % KEPT_INTERVALS)] ?? 0;
    octaves[index] = octavesOf(code);
    afterConnect[index] = isAfterConnect(code) ? 1 : 0;
    place += 1;
  }
  return { count, octaves, isAfterConnect: afterConnect };
}
