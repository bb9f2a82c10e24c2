/** Jitter of a width, on equal waits or on growing ones: how well it explains intervals. */
import { average, freeEvidence, NEVER, octavesOfWidth, uniformEvidence } from './evidence.ts';
import { countSteps, hasConnects, type Intervals, MOST_FALL, startsAfterFalls } from './growth.ts';
import { FACTORS, NO_CAP } from './growth-laws.ts';
import { KEPT_INTERVALS } from './interval-ring.ts';

export const LEAST_WEAK = 0.2;
export const WEAK = jitterOf([LEAST_WEAK, 0.25, 0.33]);
export const HALF = jitterOf([0.5, 0.6]);
const FULL = jitterOf([1]);
/** Steps from the first wait to the cap, for jitter that hides it; the last stands for no cap. */
const MOST_STEPS = 9;
/** A cap need not be a power of two: 20 s is 5.3 steps from 0.5 s. */
const CAP_STEP = 0.5;
const NOTHING: readonly number[] = [];

/** Where assumptions are worked out: to allocate it for each of them would take longer than all the rest. */
const steps = new Float64Array(KEPT_INTERVALS);
const residuals = new Float64Array(KEPT_INTERVALS);

/** Widths that one kind of jitter may have, and the octaves between the ends of the widest. */
export interface Jitter {
  readonly widths: readonly number[];
  readonly widest: number;
}

function jitterOf(widths: readonly number[]): Jitter {
  return { widths, widest: octavesOfWidth(Math.max(...widths)) };
}

/**
 * The same jitter on equal waits and on waits that grow by a usual factor up to any cap.
 * @param sorted octaves in ascending order
 */
export function jittered(intervals: Intervals, sorted: Float64Array, jitter: Jitter): number {
  const { widths, widest } = jitter;
  const mostFall = MOST_FALL + widest;
  if (!(mayBeEqual(sorted, intervals.count, widest) || mayStartAlike(intervals, mostFall, widest))) {
    return NEVER;
  }
  const restartsOnConnect = hasConnects(intervals);
  const values = [...uniform(intervals, 0, NO_CAP, jitter)];
  let assumptions = widths.length;
  for (const perStep of FACTORS) {
    const most = countSteps(intervals, { perStep, addend: 0, mostFall, restartsOnConnect }, steps);
    for (let cap = 1; cap < Math.min(most, MOST_STEPS); cap += CAP_STEP) {
      values.push(...uniform(intervals, perStep, cap, jitter));
      assumptions += widths.length;
    }
    values.push(...uniform(intervals, perStep, NO_CAP, jitter));
    assumptions += widths.length;
  }
  return average(values, assumptions);
}

/** Jitter of the whole wait, or no rule at all. */
export function wide(intervals: Intervals, sorted: Float64Array): number {
  return average([jittered(intervals, sorted, FULL), freeEvidence(intervals.count)], 2);
}

/** What is not is the common case, and need not be weighed. */
function mayBeEqual(sorted: Float64Array, count: number, widest: number): boolean {
  return (sorted[count - 1] ?? 0) - (sorted[0] ?? 0) < widest;
}

/** Whatever waits grow by, they start from the same one. */
function mayStartAlike(intervals: Intervals, mostFall: number, widest: number): boolean {
  const starts = startsAfterFalls(intervals, mostFall, residuals);
  let least = NO_CAP;
  let most = NEVER;
  for (let index = 0; index < starts; index += 1) {
    least = Math.min(least, residuals[index] ?? 0);
    most = Math.max(most, residuals[index] ?? 0);
  }
  return most - least < widest;
}

/** @param cap in steps. @returns the evidence of each width, or nothing where none is wide enough */
function uniform(
  { octaves, count }: Intervals,
  perStep: number,
  cap: number,
  { widths, widest }: Jitter,
): readonly number[] {
  let sum = 0;
  let least = NO_CAP;
  let most = NEVER;
  for (let index = 0; index < count; index += 1) {
    const residual = (octaves[index] ?? 0) - perStep * Math.min(steps[index] ?? 0, cap);
    sum += residual;
    least = Math.min(least, residual);
    most = Math.max(most, residual);
    if (most - least >= widest) {
      return NOTHING;
    }
  }
  return widths.map((width) => uniformEvidence(count, sum, least, most, width));
}
