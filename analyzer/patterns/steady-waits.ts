/** Equal waits: how well they explain intervals, and what may be left of any waits that a clock alone makes unequal. */
import { average, mostStalls, NEVER, octavesOfWidth, steadyEvidence } from './evidence.ts';
import { insert } from './sorted-octaves.ts';

/** Widths of u in `E * u`, u in [1 - width, 1]. The first are clocks and networks: 0.12 is as wide as a CV of 0.035. */
const WIDEST_STEADY = 0.12;
const STEADY = [0.01, 0.03, 0.06, WIDEST_STEADY];
export const MOST_STEADY = octavesOfWidth(WIDEST_STEADY);
const LEAST_WITH_STALL = 5;

/**
 * Of equal waits. Four are more than a coincidence, so that even of few one may be a stall.
 * @param sorted octaves in ascending order
 */
export function equal(sorted: Float64Array, count: number): number {
  return steady(sorted, 0, count, Math.max(mostStalls(count), count >= LEAST_WITH_STALL ? 1 : 0));
}

/** Of what is left of waits, over the widths of a clock's own unsteadiness. @param sorted residuals in ascending order */
export function steady(sorted: Float64Array, from: number, to: number, stalls = mostStalls(to - from)): number {
  // What is wider without its stalls is the common case, and need not be weighed.
  if ((sorted[to - 1 - stalls] ?? 0) - (sorted[from + stalls] ?? 0) > MOST_STEADY) {
    return NEVER;
  }
  const values = STEADY.map((width) => steadyEvidence(sorted, from, to, stalls, width));
  return average(values, STEADY.length);
}

export function areSteady(values: Float64Array, length: number, stalls: number, into: Float64Array): boolean {
  for (let count = 0; count < length; count += 1) {
    if (!insertSteady(values[count] ?? 0, into, count, stalls)) {
      return false;
    }
  }
  return true;
}

/**
 * @param count of values that are there, in ascending order
 * @returns false as soon as they are wider apart than steady ones without `stalls` at either end
 */
export function insertSteady(value: number, sorted: Float64Array, count: number, stalls: number): boolean {
  insert(value, sorted, count);
  return count <= 2 * stalls || (sorted[count - stalls] ?? 0) - (sorted[stalls] ?? 0) <= MOST_STEADY;
}
