/**
 * The explanations that intervals are held against, each as the logarithm of its evidence: equal waits, growing waits, a
 * few equal waits side by side, and jitter of a width on equal or growing ones.
 */

import { freeEvidence, mostStalls, NEVER, steadyEvidence, uniformEvidence } from './evidence.ts';
import { countSlips, countSteps, type Growth, growthAt, type Intervals, startsAfterFalls } from './growth.ts';
import { FACTORS, type Law, lawsOf, NO_CAP, takesShare } from './growth-laws.ts';
import { KEPT_INTERVALS } from './interval-ring.ts';

/** Widths of u in `E * u`, u in [1 - width, 1]. The first are clocks and networks: 0.12 is as wide as a CV of 0.035. */
const WIDEST_STEADY = 0.12;
const STEADY = [0.01, 0.03, 0.06, WIDEST_STEADY];
const MOST_STEADY = octavesOfWidth(WIDEST_STEADY);
const LEAST_WITH_STALL = 5;
export const LEAST_WEAK = 0.2;
export const WEAK = jitterOf([LEAST_WEAK, 0.25, 0.33]);
export const HALF = jitterOf([0.5, 0.6]);
const FULL = jitterOf([1]);
/** Steps from the first wait to the cap, for jitter that hides it; the last stands for no cap. */
const MOST_STEPS = 9;
/** A cap need not be a power of two: 20 s is 5.3 steps from 0.5 s. */
const CAP_STEP = 0.5;
const NOTHING: readonly number[] = [];
const EITHER: readonly boolean[] = [false, true];
const WITHOUT_RESTARTS: readonly boolean[] = [false];
/** A fall by more octaves is a new start: no clock and no network does that. */
const MOST_FALL = 0.3;
const MOST_BEHIND_ONE_ADDRESS = 6;
/** One wait that is unlike all others is a stall, and nobody's. */
const LEAST_OF_A_CLIENT = 2;
/** Two waits are two clients' if so many octaves (5 %) lie between them. */
const APART = 0.07;

const LN_FACTORIALS = lnFactorials(KEPT_INTERVALS + MOST_BEHIND_ONE_ADDRESS);

function lnFactorials(most: number): Float64Array {
  const logarithms = new Float64Array(most + 1);
  for (let n = 2; n <= most; n += 1) {
    logarithms[n] = (logarithms[n - 1] ?? 0) + Math.log(n);
  }
  return logarithms;
}

/** Where assumptions are worked out: to allocate it for each of a client's sixty would take longer than all the rest. */
const steps = new Float64Array(KEPT_INTERVALS);
const residuals = new Float64Array(KEPT_INTERVALS);
const ordered = new Float64Array(KEPT_INTERVALS);
const sortedOctaves = new Float64Array(KEPT_INTERVALS);

/**
 * Of equal waits. Four are more than a coincidence, so that even of few one may be a stall.
 * @param sorted octaves in ascending order
 */
export function equal(sorted: Float64Array, count: number): number {
  return steady(sorted, 0, count, Math.max(mostStalls(count), count >= LEAST_WITH_STALL ? 1 : 0));
}

/** Of what is left of waits, over the widths of a clock's own unsteadiness. @param sorted residuals in ascending order */
function steady(sorted: Float64Array, from: number, to: number, stalls = mostStalls(to - from)): number {
  // What is wider without its stalls is the common case, and need not be weighed.
  if ((sorted[to - 1 - stalls] ?? 0) - (sorted[from + stalls] ?? 0) > MOST_STEADY) {
    return NEVER;
  }
  const values = STEADY.map((width) => steadyEvidence(sorted, from, to, stalls, width));
  return average(values, STEADY.length);
}

/**
 * By a factor or a sum, with and without a cap, started again by a fall or by a connection.
 * @param sorted octaves in ascending order
 */
export function growing(intervals: Intervals, sorted: Float64Array): number {
  const weighed = weighLaws(intervals, sorted);
  const assumptions = weighed.reduce((sum, { law }) => sum + (takesShare(law) ? 1 : 0), 0);
  return average(
    weighed.map(({ evidence }) => evidence),
    assumptions,
  );
}

/** What the waits grow by, where they do, and the wait that they grow from, in octaves. */
export function likeliestLaw(intervals: Intervals, sorted: Float64Array): { law: Law; first: number } | undefined {
  return weighLaws(intervals, sorted).sort((one, other) => other.evidence - one.evidence)[0];
}

interface Weighed {
  readonly law: Law;
  readonly first: number;
  readonly evidence: number;
}

function weighLaws(intervals: Intervals, sorted: Float64Array): Weighed[] {
  // Whatever waits without jitter grow by, they start from the same one, and fall to no other: most with jitter are told by that.
  const stalls = mostStalls(intervals.count);
  const starts = startsAfterFalls(intervals, MOST_FALL, residuals);
  if (!areSteady(residuals, starts, stalls, ordered) || countSlips(intervals, MOST_STEADY, MOST_FALL) > 2 * stalls) {
    return [];
  }
  const first = starts === 0 ? (intervals.octaves[0] ?? 0) : (ordered[starts >> 1] ?? 0);
  const ways = hasConnects(intervals) ? EITHER : WITHOUT_RESTARTS;
  const weighed: Weighed[] = [];
  for (const law of lawsOf(intervals, sorted, first)) {
    for (const restartsOnConnect of ways) {
      weighed.push({ law, first, evidence: grown(intervals, law, restartsOnConnect) + law.cost });
    }
  }
  return weighed;
}

function grown(intervals: Intervals, { perStep, addend, cap }: Law, restartsOnConnect: boolean): number {
  const { count } = intervals;
  const growth: Growth = { perStep, addend, mostFall: MOST_FALL, restartsOnConnect };
  if (countSteps(intervals, growth, steps) === 0) {
    return NEVER;
  }
  const stalls = mostStalls(count);
  for (let index = 0; index < count; index += 1) {
    const residual = (intervals.octaves[index] ?? 0) - growthAt(steps[index] ?? 0, growth, cap);
    if (!insertSteady(residual, ordered, index, stalls)) {
      return NEVER;
    }
  }
  return steady(ordered, 0, count);
}

function areSteady(values: Float64Array, length: number, stalls: number, into: Float64Array): boolean {
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
function insertSteady(value: number, sorted: Float64Array, count: number, stalls: number): boolean {
  insert(value, sorted, count);
  return count <= 2 * stalls || (sorted[count - stalls] ?? 0) - (sorted[stalls] ?? 0) <= MOST_STEADY;
}

/** @param count of values that are there, in ascending order */
function insert(value: number, sorted: Float64Array, count: number): void {
  let at = count;
  while (at > 0 && (sorted[at - 1] ?? 0) > value) {
    sorted[at] = sorted[at - 1] ?? 0;
    at -= 1;
  }
  sorted[at] = value;
}

/** @returns octaves in ascending order, in memory that the next client's overwrite */
export function sortOctaves({ octaves, count }: Intervals): Float64Array {
  for (let index = 0; index < count; index += 1) {
    insert(octaves[index] ?? 0, sortedOctaves, index);
  }
  return sortedOctaves;
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

/** Widths that one kind of jitter may have, and the octaves between the ends of the widest. */
export interface Jitter {
  readonly widths: readonly number[];
  readonly widest: number;
}

function jitterOf(widths: readonly number[]): Jitter {
  return { widths, widest: octavesOfWidth(Math.max(...widths)) };
}

function octavesOfWidth(width: number): number {
  return -Math.log2(1 - width);
}

/** Jitter of the whole wait, or no rule at all. */
export function wide(intervals: Intervals, sorted: Float64Array): number {
  return average([jittered(intervals, sorted, FULL), freeEvidence(intervals.count)], 2);
}

function hasConnects({ isAfterConnect, count }: Intervals): boolean {
  const first = isAfterConnect.indexOf(1);
  return first >= 0 && first < count;
}

/**
 * A few equal waits in any order. The order itself costs what it would take to write down: (k-1)! n1!..nk! / (n+k-1)!
 * @param sorted octaves in ascending order
 * @param ends of the groups in it
 */
export function several(sorted: Float64Array, ends: readonly number[]): number {
  const count = ends.at(-1) ?? 0;
  const groups = ends.length;
  if (groups < 2 || groups > Math.min(MOST_BEHIND_ONE_ADDRESS, count / 3)) {
    return NEVER;
  }
  let evidence = lnFactorial(groups - 1) - lnFactorial(count + groups - 1) - Math.log(MOST_BEHIND_ONE_ADDRESS - 1);
  let from = 0;
  for (const end of ends) {
    if (end - from < LEAST_OF_A_CLIENT) {
      return NEVER;
    }
    evidence += lnFactorial(end - from) + steady(sorted, from, end);
    from = end;
  }
  return evidence;
}

/** Where groups of intervals end that lie close together. @param sorted octaves in ascending order, `count` of them */
export function endsOfGroups(sorted: Float64Array, count: number): number[] {
  const ends: number[] = [];
  for (let index = 1; index <= count; index += 1) {
    if (index === count || (sorted[index] ?? 0) - (sorted[index - 1] ?? 0) > APART) {
      ends.push(index);
    }
  }
  return ends;
}

/**
 * Of probabilities whose logarithms are given: assumptions of one kind share the kind's.
 * @param assumptions how many there are, those included that are impossible and not among `values`
 */
function average(values: readonly number[], assumptions: number): number {
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
  return most + Math.log(sum / assumptions);
}

function lnFactorial(n: number): number {
  return LN_FACTORIALS[n] ?? Number.NaN;
}
