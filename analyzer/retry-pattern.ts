/**
 * What a client does between its tries, from its last intervals: equal waits, growing waits, a few equal waits side by
 * side (several clients behind one address), or jitter, and how wide. The core rule's spread over all intervals cannot
 * tell: waits that double have a spread of 0.33 to 1.0 and look jittered, as two steady clients behind one address do.
 */
import { addLogs, freeEvidence, steadyEvidence, uniformEvidence } from './evidence.ts';
import { countSteps, type Growth, type Intervals, reach, takeOff, usualRise } from './growth.ts';

export const PATTERNS = [
  'none',
  'unclear',
  'fixed',
  'growing_without_jitter',
  'several_fixed',
  'weak_jitter',
  'equal_jitter',
  'full_jitter',
] as const;
export type PatternName = (typeof PATTERNS)[number];

export interface Pattern {
  /** `none` without intervals; `unclear` where no explanation is likely enough. */
  readonly name: PatternName;
  /**
   * Probability of the likeliest explanation, 0 to 1, given that each was equally likely before. Where there is no
   * jitter, it is the probability of that, whatever the waits are.
   */
  readonly confidence: number;
  /** How many intervals were looked at. */
  readonly intervals: number;
  /** Factor from one wait to the next, where they grow by one. */
  readonly factor?: number;
  /** The fixed wait, or that of each client behind one address, in milliseconds, the shortest first. */
  readonly periods_ms?: readonly number[];
}

/** The fault that this is all about. Weak jitter is a fault of its own. */
export function hasNoJitter(name: PatternName): boolean {
  return name === 'fixed' || name === 'growing_without_jitter' || name === 'several_fixed';
}

/** Fewer say nothing: two equal waits are one coincidence, and any three are near some growth. */
export const LEAST_INTERVALS = 3;
export const LEAST_GROWING = 5;
const LEAST_CONFIDENCE = 0.9;

/** Widths of u in `E * u`, u in [1 - width, 1]. The first are clocks and networks: 0.12 is as wide as a CV of 0.035. */
const WIDEST_STEADY = 0.12;
const STEADY = [0.01, 0.03, 0.06, WIDEST_STEADY];
/** The same, in octaves. */
const MOST_STEADY = -Math.log2(1 - WIDEST_STEADY);
const LEAST_WEAK = 0.2;
const WEAK = [LEAST_WEAK, 0.25, 0.33];
const HALF = [0.5, 0.6];
const FULL = [1];
/** What waits usually grow by, in octaves: by 2 and by 1.5. */
const FACTORS = [1, Math.log2(1.5)] as const;
/** Steps from the first wait to the cap, for jitter that hides it; the last stands for no cap. */
const MOST_STEPS = 9;
/** A cap need not be a power of two: 20 s is 5.3 steps from 0.5 s. */
const CAP_STEP = 0.5;
/** No jitter explains any intervals better than by its density; what exceeds that by e^7 need not be compared. */
const SURE = 7;
/** A factor taken from the intervals themselves explains one of them by itself: what that is worth. */
const OWN_FACTOR = -Math.log(200);
const NO_CAP = Number.POSITIVE_INFINITY;
const NEVER = Number.NEGATIVE_INFINITY;
const MOST_BEHIND_ONE_ADDRESS = 6;
/** Two waits are two clients' if so many octaves (5 %) lie between them. */
const APART = 0.07;

type Kind = Exclude<PatternName, 'none' | 'unclear'>;

export function findPattern(intervals: Intervals): Pattern {
  const count = intervals.octaves.length;
  if (count < LEAST_INTERVALS) {
    return { name: count === 0 ? 'none' : 'unclear', confidence: 0, intervals: count };
  }
  const fixed = steady(intervals.octaves);
  if (fixed > count * Math.log(Math.LN2 / LEAST_WEAK) + SURE) {
    return { name: 'fixed', confidence: 1, intervals: count, periods_ms: [middleMs(intervals.octaves.slice().sort())] };
  }
  const groups = groupsOf(intervals.octaves);
  const rise = usualRise(intervals);
  const evidence: Record<Kind, number> = {
    fixed,
    growing_without_jitter: growing(intervals, rise),
    several_fixed: several(groups, count),
    weak_jitter: jittered(intervals, WEAK),
    equal_jitter: jittered(intervals, HALF),
    full_jitter: average([jittered(intervals, FULL), freeEvidence(count)]),
  };
  const [name, confidence] = likeliest(evidence);
  if (confidence < LEAST_CONFIDENCE || (name === 'growing_without_jitter' && count < LEAST_GROWING)) {
    return { name: 'unclear', confidence, intervals: count };
  }
  return {
    name,
    confidence,
    intervals: count,
    ...(name === 'growing_without_jitter' && rise !== undefined ? { factor: round(2 ** rise) } : {}),
    ...(name === 'several_fixed' ? { periods_ms: groups.map(middleMs) } : {}),
    ...(name === 'fixed' ? { periods_ms: [middleMs(intervals.octaves.slice().sort())] } : {}),
  };
}

/** Explanations without jitter vouch for each other: 1 s and 2 s in turn may be two clients or one, and both are at fault. */
function likeliest(evidence: Record<Kind, number>): [Kind, number] {
  let name: Kind = 'full_jitter';
  let total = NEVER;
  let together = NEVER;
  const kinds = Object.entries(evidence) as [Kind, number][];
  for (const [kind, value] of kinds) {
    total = addLogs(total, value);
    name = value > evidence[name] ? kind : name;
  }
  for (const [kind, value] of kinds) {
    together = kind === name || (hasNoJitter(kind) && hasNoJitter(name)) ? addLogs(together, value) : together;
  }
  return [name, Math.exp(together - total)];
}

/** Of equal waits, over the widths of a clock's own unsteadiness. */
function steady(residuals: Float64Array): number {
  const sorted = residuals.toSorted();
  // A tenth is all that may be stalls. What is wider without one is the common case, and need not be weighed.
  const stalls = Math.floor(sorted.length / 10);
  if ((sorted[sorted.length - 1 - stalls] ?? 0) - (sorted[stalls] ?? 0) > MOST_STEADY) {
    return NEVER;
  }
  return average(STEADY.map((width) => steadyEvidence(sorted, width)));
}

/** By the usual factors or any other, with and without a cap, started again by a fall or by a connection; or by a sum. */
function growing(intervals: Intervals, rise: number | undefined): number {
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
function jittered(intervals: Intervals, widths: readonly number[]): number {
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
function several(groups: readonly Float64Array[], count: number): number {
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
function groupsOf(octaves: Float64Array): Float64Array[] {
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

function middleMs(group: Float64Array): number {
  return Math.round(2 ** (group[group.length >> 1] ?? 0));
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

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
