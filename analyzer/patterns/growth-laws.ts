/** The laws by which waits without jitter may grow, and the cost of assuming each law. */
import { type Growth, type Intervals, meanAddend, reach, usualAddend, usualRise } from './growth.ts';

export interface Law extends Pick<Growth, 'perStep' | 'addend'> {
  /** Octaves above the first wait. */
  readonly cap: number;
  /** Logarithm of the law's prior probability, relative to a usual factor. */
  readonly cost: number;
}

export const NO_CAP = Number.POSITIVE_INFINITY;
/** The usual growth factors 2 and 1.5 as log2. */
export const FACTORS = [1, Math.log2(1.5)] as const;
/** The cost of a figure that was estimated from the intervals themselves: it always explains one of them. */
const ESTIMATED_FIGURE = -Math.log(200);

/**
 * @param sorted octaves in ascending order
 * @param first the wait from which sequences start, in octaves
 */
export function lawsOf(intervals: Intervals, sorted: Float64Array, first: number): readonly Law[] {
  const cap = reach(sorted, intervals.count);
  return [
    ...factors(usualRise(intervals), cap),
    ...sums([usualAddend(intervals, first), meanAddend(intervals, first)], cap),
  ];
}

/** A law that costs more than one figure is a fallback, and takes no share of the prior from the other laws. */
export function takesShare({ cost }: Law): boolean {
  return cost >= ESTIMATED_FIGURE;
}

function factors(estimated: number | undefined, cap: number): Law[] {
  if (estimated === undefined) {
    return [];
  }
  const laws = [...FACTORS.map((perStep) => ({ perStep, cost: 0 })), { perStep: estimated, cost: ESTIMATED_FIGURE }];
  return laws.flatMap((law) => [NO_CAP, cap].map((most) => ({ ...law, addend: 0, cap: most })));
}

/**
 * Sums are rarer than factors, so each costs one more figure. A cap could explain the later half of any sum, so it
 * costs one too.
 */
function sums(estimated: readonly (number | undefined)[], cap: number): Law[] {
  const addends = estimated.filter((addend) => addend !== undefined);
  if (addends.length === 0) {
    return [];
  }
  const laws = [
    { addend: 1, cost: ESTIMATED_FIGURE },
    ...addends.map((addend) => ({ addend, cost: 2 * ESTIMATED_FIGURE })),
  ];
  return laws.flatMap(({ addend, cost }) => [
    { perStep: 0, addend, cap: NO_CAP, cost },
    { perStep: 0, addend, cap, cost: cost + ESTIMATED_FIGURE },
  ]);
}
