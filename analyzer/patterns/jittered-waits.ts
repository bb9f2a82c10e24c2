/** The evidence for jitter of a given width, on equal or on growing waits. */
import { average, freeEvidence, NEVER, octavesOfWidth, uniformEvidence } from './evidence.ts';
import { countSteps, hasConnects, type Intervals, MOST_FALL, startsAfterFalls } from './growth.ts';
import { FACTORS, NO_CAP } from './growth-laws.ts';
import { KEPT_INTERVALS } from './interval-ring.ts';

export const LEAST_WEAK = 0.2;
export const WEAK = jitterOf([LEAST_WEAK, 0.25, 0.33]);
export const HALF = jitterOf([0.5, 0.6]);
const FULL = jitterOf([1]);
/** Jitter hides the cap, so every cap of less than this many steps above the first wait is tried, and no cap. */
const MOST_STEPS = 9;
/** Half steps, because a cap need not be a power of two: 20 s is 5.3 steps from 0.5 s. */
const CAP_STEP = 0.5;
const NONE: readonly number[] = [];

/** Reused work space: allocating it for each hypothesis would take longer than everything else. */
const steps = new Float64Array(KEPT_INTERVALS);
const residuals = new Float64Array(KEPT_INTERVALS);

/** The widths that one kind of jitter may have, and the octaves that the widest one covers. */
export interface Jitter {
  readonly widths: readonly number[];
  readonly widest: number;
}

function jitterOf(widths: readonly number[]): Jitter {
  return { widths, widest: octavesOfWidth(Math.max(...widths)) };
}

/**
 * Jitter on equal waits, or on waits that grow by a usual factor up to any cap.
 * @param sorted octaves in ascending order
 */
export function evidenceOfJitter(intervals: Intervals, sorted: Float64Array, jitter: Jitter): number {
  const { widths, widest } = jitter;
  const mostFall = MOST_FALL + widest;
  if (!(mayBeEqual(sorted, intervals.count, widest) || mayStartAlike(intervals, mostFall, widest))) {
    return NEVER;
  }
  const restartsOnConnect = hasConnects(intervals);
  const values = [...uniform(intervals, 0, NO_CAP, jitter)];
  let hypotheses = widths.length;
  for (const perStep of FACTORS) {
    const most = countSteps(intervals, { perStep, addend: 0, mostFall, restartsOnConnect }, steps);
    for (let cap = 1; cap < Math.min(most, MOST_STEPS); cap += CAP_STEP) {
      values.push(...uniform(intervals, perStep, cap, jitter));
      hypotheses += widths.length;
    }
    values.push(...uniform(intervals, perStep, NO_CAP, jitter));
    hypotheses += widths.length;
  }
  return average(values, hypotheses);
}

/** Jitter of the whole wait, or no rule at all. */
export function evidenceOfFullJitter(intervals: Intervals, sorted: Float64Array): number {
  return average([evidenceOfJitter(intervals, sorted, FULL), freeEvidence(intervals.count)], 2);
}

/** A quick check: most intervals spread too far for this jitter on equal waits. */
function mayBeEqual(sorted: Float64Array, count: number, widest: number): boolean {
  return (sorted[count - 1] ?? 0) - (sorted[0] ?? 0) < widest;
}

/** A quick check: under any law, growing waits start from the same wait. */
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

/** @param cap in steps. @returns the evidence of each width; empty if even the widest is too narrow */
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
      return NONE;
    }
  }
  return widths.map((width) => uniformEvidence(count, sum, least, most, width));
}
