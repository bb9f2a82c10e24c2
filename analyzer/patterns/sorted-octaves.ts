/** Sorts waits, as octaves, by insertion: a client has few of them, and nothing is allocated. */
import type { Intervals } from './growth.ts';
import { KEPT_INTERVALS } from './interval-ring.ts';

const sortedOctaves = new Float64Array(KEPT_INTERVALS);

/** @returns octaves in ascending order; the next call overwrites them */
export function sortOctaves({ octaves, count }: Intervals): Float64Array {
  for (let index = 0; index < count; index += 1) {
    insert(octaves[index] ?? 0, sortedOctaves, index);
  }
  return sortedOctaves;
}

/** @param count number of values that `sorted` already contains, in ascending order */
export function insert(value: number, sorted: Float64Array, count: number): void {
  let at = count;
  while (at > 0 && (sorted[at - 1] ?? 0) > value) {
    sorted[at] = sorted[at - 1] ?? 0;
    at -= 1;
  }
  sorted[at] = value;
}
