/** Waits in ascending order, as octaves, kept so one by one: a client has few, and none is allocated for. */
import type { Intervals } from './growth.ts';
import { KEPT_INTERVALS } from './interval-ring.ts';

const sortedOctaves = new Float64Array(KEPT_INTERVALS);

/** @returns octaves in ascending order, in memory that the next client's overwrite */
export function sortOctaves({ octaves, count }: Intervals): Float64Array {
  for (let index = 0; index < count; index += 1) {
    insert(octaves[index] ?? 0, sortedOctaves, index);
  }
  return sortedOctaves;
}

/** @param count of values that are there, in ascending order */
export function insert(value: number, sorted: Float64Array, count: number): void {
  let at = count;
  while (at > 0 && (sorted[at - 1] ?? 0) > value) {
    sorted[at] = sorted[at - 1] ?? 0;
    at -= 1;
  }
  sorted[at] = value;
}
