/** The evidence for equal waits, and for residuals that differ only by the inaccuracy of clocks and networks. */
import { average, mostStalls, NEVER, octavesOfWidth, steadyEvidence } from './evidence.ts';
import { insert } from './sorted-octaves.ts';

/**
 * Widths of u in `E * u`, u in [1 - width, 1], that clocks and networks cause. A width of 0.12 corresponds to a CV of
 * 0.035.
 */
const WIDEST_STEADY = 0.12;
const STEADY = [0.01, 0.03, 0.06, WIDEST_STEADY];
export const MOST_STEADY = octavesOfWidth(WIDEST_STEADY);
const LEAST_WITH_STALL = 5;

/**
 * All waits are equal. Four equal waits are more than a coincidence, so one of five or more may be a stall.
 * @param sorted octaves in ascending order
 */
export function evidenceOfEqual(sorted: Float64Array, count: number): number {
  return evidenceOfSteady(sorted, 0, count, Math.max(mostStalls(count), count >= LEAST_WITH_STALL ? 1 : 0));
}

/** The residuals are equal except for the inaccuracy of clocks and networks. @param sorted residuals in ascending order */
export function evidenceOfSteady(
  sorted: Float64Array,
  from: number,
  to: number,
  stalls = mostStalls(to - from),
): number {
  // A quick check: most residuals spread too far even without their stalls.
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
 * @param count number of values that `sorted` already contains, in ascending order
 * @returns false if, without `stalls` values at each end, the values spread too far to be steady
 */
export function insertSteady(value: number, sorted: Float64Array, count: number, stalls: number): boolean {
  insert(value, sorted, count);
  return count <= 2 * stalls || (sorted[count - stalls] ?? 0) - (sorted[stalls] ?? 0) <= MOST_STEADY;
}
