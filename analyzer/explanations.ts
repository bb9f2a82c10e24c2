/**
 * The explanations that intervals are held against, each as the logarithm of its evidence: equal waits, growing waits, a
 * few equal waits side by side, and jitter of a width on equal or growing ones.
 */
import { freeEvidence, steadyEvidence, uniformEvidence } from './evidence.ts';
import { countSteps, type Growth, type Intervals, reach, takeOff } from './growth.ts';

/** Widths of u in `E * u`, u in [1 - width, 1]. The first are clocks and networks: 0.12 is as wide as a CV of 0.035. */
const WIDEST_STEADY = 0.12;
const STEADY = [0.01, 0.03, 0.06, WIDEST_STEADY];
/** The same, in octaves. */
const MOST_STEADY = -Math.log2(1 - WIDEST_STEADY);
export const LEAST_WEAK = 0.2;
export const WEAK = [LEAST_WEAK, 0.25, 0.33];
export const HALF = [0.5, 0.6];
const FULL = [1];
/** What waits usually grow by, in octaves: by 2 and by 1.5. */
const FACTORS = [1, Math.log2(1.5)] as const;
/** Steps from the first wait to the cap, for jitter that hides it; the last stands for no cap. */
const MOST_STEPS = 9;
/** A cap need not be a power of two: 20 s is 5.3 steps from 0.5 s. */
const CAP_STEP = 0.5;
/** A factor taken from the intervals themselves explains one of them by itself: what that is worth. */
const OWN_FACTOR = -Math.log(200);
const NO_CAP = Number.POSITIVE_INFINITY;
const NEVER = Number.NEGATIVE_INFINITY;
const MOST_BEHIND_ONE_ADDRESS = 6;
/** Two waits are two clients' if so many octaves (5 %) lie between them. */
const APART = 0.07;

/** Of equal waits, over the widths of a clock's own unsteadiness. */
export function steady(residuals: Float64Array): number {
  const sorted = residuals.toSorted();
  // A tenth is all that may be stalls. What is wider without one is the common case, and need not be weighed.
  const stalls = Math.floor(sorted.length / 10);
  if ((sorted[sorted.length - 1 - stalls] ?? 0) - (sorted[stalls] ?? 0) > MOST_STEADY) {
    return NEVER;
  }
  return average(STEADY.map((width) => steadyEvidence(sorted, width)));
}

/** By the usual factors or any other, with and without a cap, started again by a fall or by a connection; or by a sum. */
export function growing(intervals: Intervals, rise: number | undefined): number {
  if (rise === undefined) {
    return NEVER;
  }
  const ownCap = reach(intervals);
  const values: number[] = [];
  for (const [perStep, cost] of [
    [FACTORS[0], 0],
    [FACTORS[1], 0],
    [rise, OWN_FACTOR],
    [0, OWN_FACTOR],
  ] as const) {
    for (const restartsOnConnect of hasConnects(intervals) ? [false, true] : [false]) {
      const growth: Growth = { perStep, restartsBelow: 0.3, restartsOnConnect };
      values.push(grown(intervals, growth, NO_CAP) + cost);
      if (perStep > 0) {
        values.push(grown(intervals, growth, ownCap) + cost);
      }
    }
  }
  return average(values);
}

function grown(intervals: Intervals, growth: Growth, cap: number): number {
  const { octaves } = intervals;
  const steps = new Float64Array(octaves.length);
  if (countSteps(intervals, growth, steps) === 0) {
    return NEVER;
  }
  return steady(takeOff(octaves, steps, growth.perStep, cap));
}

/** The same jitter on equal waits and on waits that grow by a usual factor up to any cap. */
export function jittered(intervals: Intervals, widths: readonly number[]): number {
  const { octaves } = intervals;
  const steps = new Float64Array(octaves.length);
  const restartsOnConnect = hasConnects(intervals);
  const restartsBelow = 0.3 - Math.log2(1 - Math.max(...widths));
  const values: number[] = [];
  addUniform(values, octaves, steps, 0, widths);
  for (const perStep of FACTORS) {
    const most = countSteps(intervals, { perStep, restartsBelow, restartsOnConnect }, steps);
    for (let cap = 1; cap < Math.min(most, MOST_STEPS); cap += CAP_STEP) {
      addUniform(values, octaves, steps, perStep, widths, cap);
    }
    addUniform(values, octaves, steps, perStep, widths);
  }
  return average(values);
}

/** Jitter of the whole wait, or no rule at all. */
export function wide(intervals: Intervals): number {
  return average([jittered(intervals, FULL), freeEvidence(intervals.octaves.length)]);
}

/** One value for each width. @param cap in steps */
function addUniform(
  values: number[],
  octaves: Float64Array,
  steps: Float64Array,
  perStep: number,
  widths: readonly number[],
  cap = NO_CAP,
): void {
  let sum = 0;
  let least = NO_CAP;
  let most = NEVER;
  for (let index = 0; index < octaves.length; index += 1) {
    const step = steps[index] ?? 0;
    const residual = (octaves[index] ?? 0) - perStep * Math.min(step, cap);
    sum += residual;
    least = Math.min(least, residual);
    most = Math.max(most, residual);
  }
  for (const width of widths) {
    values.push(uniformEvidence(octaves.length, sum, least, most, width));
  }
}

function hasConnects({ isAfterConnect }: Intervals): boolean {
  return isAfterConnect.includes(1);
}

/** A few equal waits in any order. The order itself costs what it would take to write down: (k-1)! n1!..nk! / (n+k-1)! */
export function several(groups: readonly Float64Array[], count: number): number {
  const { length } = groups;
  if (length < 2 || length > Math.min(MOST_BEHIND_ONE_ADDRESS, count / 3)) {
    return NEVER;
  }
  let order = lnFactorial(length - 1) - lnFactorial(count + length - 1);
  let waits = 0;
  for (const group of groups) {
    order += lnFactorial(group.length);
    waits += steady(group);
  }
  return order + waits - Math.log(MOST_BEHIND_ONE_ADDRESS - 1);
}

/** Intervals that lie close together, in ascending order. */
export function groupsOf(octaves: Float64Array): Float64Array[] {
  const sorted = octaves.slice().sort();
  const groups: Float64Array[] = [];
  let from = 0;
  for (let index = 1; index <= sorted.length; index += 1) {
    if (index === sorted.length || (sorted[index] ?? 0) - (sorted[index - 1] ?? 0) > APART) {
      groups.push(sorted.subarray(from, index));
      from = index;
    }
  }
  return groups;
}

/** Of probabilities whose logarithms are given: assumptions of one kind share the kind's. */
function average(values: readonly number[]): number {
  let most = NEVER;
  for (const value of values) {
    most = Math.max(most, value);
  }
  if (most === NEVER) {
    return NEVER;
  }
  let sum = 0;
  for (const value of values) {
    sum += Math.exp(value - most);
  }
  return most + Math.log(sum / values.length);
}

function lnFactorial(n: number): number {
  let sum = 0;
  for (let factor = 2; factor <= n; factor += 1) {
    sum += Math.log(factor);
  }
  return sum;
}
