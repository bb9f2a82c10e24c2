/**
 * What the waits of a client grow by, as octaves above its first: nothing, a factor (up to a cap, and from the start again
 * after a success), or a sum. Taken off the intervals, it leaves what jitter there is.
 */

/** Octaves, about 10 %. */
const ALIKE = 0.15;
/** Octaves, about 3.5 %: what is added to a long wait is a small part of it. */
const LEAST_ADDED = 0.05;
/** What is less is a clock's; a factor of more than 10 is nobody's, and the wait before it was a stall. */
const LEAST_RISE = 0.2;
const MOST_RISE = Math.log2(10);
/** A fall by more octaves is a new start: no clock and no network does that. */
export const MOST_FALL = 0.3;

/** The last of a client's, in the order of time. */
export interface Intervals {
  readonly count: number;
  /** log2 of milliseconds. */
  readonly octaves: Float64Array;
  /** Where it is 1, a connection stood between the one before and this one. */
  readonly isAfterConnect: Uint8Array;
}

export interface Growth {
  /** Octaves per step; 0 for a sum. */
  readonly perStep: number;
  /** What a sum adds per step, in first waits: at 1, the nth wait is n times the first. 0 for a factor. */
  readonly addend: number;
  /** A fall by more octaves than this is a new start. */
  readonly mostFall: number;
  /** Every connection is a new start. */
  readonly restartsOnConnect: boolean;
}

/**
 * How many steps each wait is from the start of its sequence.
 * @param into receives them
 * @returns the most
 */
export function countSteps(intervals: Intervals, growth: Growth, into: Float64Array): number {
  const { count } = intervals;
  let step = firstStep(intervals, growth);
  let most = step;
  into[0] = step;
  for (let index = 1; index < count; index += 1) {
    step = isRestart(intervals, growth, index) ? 0 : step + 1;
    most = Math.max(most, step);
    into[index] = step;
  }
  return most;
}

/**
 * @param cap octaves above the first wait that are not exceeded; Infinity without a cap
 * @returns octaves above the first wait
 */
export function growthAt(step: number, { perStep, addend }: Growth, cap: number): number {
  return Math.min(addend > 0 ? Math.log2(1 + addend * step) : step * perStep, cap);
}

/**
 * The waits that follow a fall, which are new starts whatever they grow by.
 * @param into receives them
 * @returns how many
 */
export function startsAfterFalls({ octaves, count }: Intervals, mostFall: number, into: Float64Array): number {
  let starts = 0;
  for (let index = 1; index < count; index += 1) {
    if ((octaves[index - 1] ?? 0) - (octaves[index] ?? 0) > mostFall) {
      into[starts] = octaves[index] ?? 0;
      starts += 1;
    }
  }
  return starts;
}

/** Falls that are no new start, and deeper than a clock makes of waits that grow. */
export function countSlips({ octaves, isAfterConnect, count }: Intervals, least: number, mostFall: number): number {
  let slips = 0;
  for (let index = 1; index < count; index += 1) {
    const fall = (octaves[index - 1] ?? 0) - (octaves[index] ?? 0);
    slips += fall > least && fall <= mostFall && isAfterConnect[index] !== 1 ? 1 : 0;
  }
  return slips;
}

/** The middle one of the rises, in octaves, or undefined if nothing rises. Insensitive to falls and to a cap. */
export function usualRise({ octaves, count }: Intervals): number | undefined {
  return middleRise(octaves, count, LEAST_RISE, (before, after) => after - before);
}

/**
 * The middle one of what is added from one wait to the next, in first waits; or undefined if nothing is.
 * @param first octaves of the wait that sequences start from
 */
export function usualAddend({ octaves, count }: Intervals, first: number): number | undefined {
  return middleRise(octaves, count, LEAST_ADDED, (before, after) => 2 ** (after - first) - 2 ** (before - first));
}

/** The same from end to end, for what has grown so long that each addend is no more than a clock's own unsteadiness. */
export function meanAddend({ octaves, count }: Intervals, first: number): number | undefined {
  const from = octaves[0] ?? 0;
  const to = octaves[count - 1] ?? 0;
  return to - from > LEAST_RISE ? (2 ** (to - first) - 2 ** (from - first)) / (count - 1) : undefined;
}

function middleRise(
  octaves: Float64Array,
  count: number,
  least: number,
  measure: (before: number, after: number) => number,
): number | undefined {
  const rises: number[] = [];
  for (let index = 1; index < count; index += 1) {
    const before = octaves[index - 1] ?? 0;
    const after = octaves[index] ?? 0;
    if (after - before > least && after - before < MOST_RISE) {
      rises.push(measure(before, after));
    }
  }
  rises.sort((one, other) => one - other);
  return rises[rises.length >> 1];
}

/**
 * How many octaves the longest waits lie above the shortest: the cap, if they have one.
 * @param sorted octaves in ascending order, `count` of them
 */
export function reach(sorted: Float64Array, count: number): number {
  const least = sorted[0] ?? 0;
  const most = sorted[count - 1] ?? 0;
  // The middle of those that are alike, since the longest of many waits at the cap is the unsteadiest.
  let lowest = 0;
  while (lowest < count && (sorted[lowest] ?? 0) < least + ALIKE) {
    lowest += 1;
  }
  let highest = 0;
  while (highest < count && (sorted[count - 1 - highest] ?? 0) > most - ALIKE) {
    highest += 1;
  }
  return (sorted[count - highest + (highest >> 1)] ?? 0) - (sorted[lowest >> 1] ?? 0);
}

function isRestart({ octaves, isAfterConnect }: Intervals, growth: Growth, index: number): boolean {
  const fall = (octaves[index - 1] ?? 0) - (octaves[index] ?? 0);
  return fall > growth.mostFall || (growth.restartsOnConnect && isAfterConnect[index] === 1);
}

/** The log may begin in the midst of a sequence; where a later one begins says how far in. */
function firstStep(intervals: Intervals, growth: Growth): number {
  const { octaves, count } = intervals;
  for (let index = 1; index < count; index += 1) {
    if (isRestart(intervals, growth, index)) {
      return Math.max(0, Math.round(stepsOf((octaves[0] ?? 0) - (octaves[index] ?? 0), growth)));
    }
  }
  return 0;
}

/** @param rise octaves above the first wait */
function stepsOf(rise: number, { perStep, addend }: Growth): number {
  return addend > 0 ? (2 ** rise - 1) / addend : rise / perStep;
}

export function hasConnects({ isAfterConnect, count }: Intervals): boolean {
  const first = isAfterConnect.indexOf(1);
  return first >= 0 && first < count;
}
