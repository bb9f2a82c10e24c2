/** The last intervals of a client, in the order in which they came: a ring of codes, and how to read it. */

import type { Intervals } from './growth.ts';
import { isAfterConnect, octavesOf } from './interval-code.ts';

export const KEPT_INTERVALS = 32;

/**
 * @param codes a ring of {@link KEPT_INTERVALS} places, or fewer that hold everything
 * @param written how many were ever written to it
 */
export function readIntervals(codes: Uint16Array, written: number): Intervals {
  const places = codes.length;
  if (places > KEPT_INTERVALS) {
    throw new RangeError(`A ring has ${KEPT_INTERVALS} intervals at most, and here are ${places}.`);
  }
  const octaves: number[] = [];
  const afterConnect: boolean[] = [];
  // Where more were written than there are places, the oldest is overwritten next.
  let place = written > places ? written % places : 0;
  for (let left = Math.min(written, places); left > 0; left -= 1) {
    const code = codes[place] ?? 0;
    octaves.push(octavesOf(code));
    afterConnect.push(isAfterConnect(code));
    place = place + 1 === places ? 0 : place + 1;
  }
  return { octaves, isAfterConnect: afterConnect };
}
