/**
 * How a client's waits grow, in octaves above its first wait: not at all, by a factor (up to a cap, and from the start again
 * after a success), or by an addend. Subtracting the growth from the intervals leaves the jitter.
 */

/** Octaves (about 10 %) within which waits count as equal. */
const ALIKE = 0.15;
/** Octaves, about 3.5 %. This small, because an addend is a small part of a long wait. */
const LEAST_ADDED = 0.05;
/** Octaves. A smaller rise may be clock inaccuracy. A factor above 10 is implausible: a stall shortened the wait before it. */
const LEAST_RISE = 0.2;
const MOST_RISE = Math.log2(10);
/** A fall by more octaves is a new start, because neither a clock nor a network causes one. */
export const MOST_FALL = 0.3;

/** The last intervals of a client, in the order of time. */
export interface Intervals {
  readonly count: number;
  /** log2 of milliseconds. */
  readonly octaves: Float64Array;
  /** 1 if the client connected between the previous interval and this one, otherwise 0. */
  readonly isAfterConnect: Uint8Array;
}

export interface Growth {
  /** Octaves per step; 0 for a sum. */
  readonly perStep: number;
  /** The addend per step, as a multiple of the first wait: with 1, the nth wait is n times the first. 0 for a factor. */
  readonly addend: number;
  /** A fall by more octaves than this is a new start. */
  readonly mostFall: number;
  /** Every connection is a new start. */
  readonly restartsOnConnect: boolean;
}

/**
 * Counts how many steps each wait is from the start of its sequence.
 * @param into receives the counts
 * @returns the largest count
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
 * @param cap the most octaves above the first wait; Infinity without a cap
 * @returns octaves above the first wait
 */
export function growthAt(step: number, { perStep, addend }: Growth, cap: number): number {
  return Math.min(addend > 0 ? Math.log2(1 + addend * step) : step * perStep, cap);
}

/**
 * Collects the waits that follow a fall: they start a new sequence under any law.
 * @param into receives the waits
 * @returns number of waits
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

/** Counts falls that are too small for a new start, but larger than a clock could cause in growing waits. */
export function countSlips({ octaves, isAfterConnect, count }: Intervals, least: number, mostFall: number): number {
  let slips = 0;
  for (let index = 1; index < count; index += 1) {
    const fall = (octaves[index - 1] ?? 0) - (octaves[index] ?? 0);
    slips += fall > least && fall <= mostFall && isAfterConnect[index] !== 1 ? 1 : 0;
  }
  return slips;
}

/** The median rise in octaves; undefined if no wait rises. Falls and a cap do not affect it. */
export function usualRise({ octaves, count }: Intervals): number | undefined {
  return medianRise(octaves, count, LEAST_RISE, (before, after) => after - before);
}

/**
 * The median addend from one wait to the next, as a multiple of the first wait; undefined if no wait rises.
 * @param first the wait from which sequences start, in octaves
 */
export function usualAddend({ octaves, count }: Intervals, first: number): number | undefined {
  return medianRise(octaves, count, LEAST_ADDED, (before, after) => 2 ** (after - first) - 2 ** (before - first));
}

/**
 * The mean addend from the first to the last wait, for waits so long that a single addend is smaller than the clock's
 * inaccuracy.
 */
export function meanAddend({ octaves, count }: Intervals, first: number): number | undefined {
  const from = octaves[0] ?? 0;
  const to = octaves[count - 1] ?? 0;
  return to - from > LEAST_RISE ? (2 ** (to - first) - 2 ** (from - first)) / (count - 1) : undefined;
}

function medianRise(
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
 * The octaves from the shortest waits to the longest ones. If the waits have a cap, this is the cap.
 * @param sorted octaves in ascending order, `count` of them
 */
export function reach(sorted: Float64Array, count: number): number {
  const least = sorted[0] ?? 0;
  const most = sorted[count - 1] ?? 0;
  // Uses the median of the equal waits, because the longest of many waits at the cap deviates most.
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

/** The log may start in the middle of a sequence. The first wait of a later sequence shows how many steps are missing. */
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
