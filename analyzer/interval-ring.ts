/** The last intervals of a client, in the order in which they came: a ring of codes, and how to read it. */

import type { Intervals } from './growth.ts';
import { isAfterConnect, octavesOf } from './interval-code.ts';

export const KEPT_INTERVALS = 32;

/**
 * @param codes a ring of {@link KEPT_INTERVALS} places, or fewer that hold everything
 * @param written how many were ever written to it
 */
export function readIntervals(codes: Uint16Array, written: number): Intervals {
  const count = Math.min(written, codes.length);
  const first = written - count;
  const octaves = new Float64Array(count);
  const afterConnect = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) {
    const code = codes[(first + index) % codes.length] ?? 0;
    octaves[index] = octavesOf(code);
    afterConnect[index] = isAfterConnect(code) ? 1 : 0;
  }
  return { octaves, isAfterConnect: afterConnect };
}
