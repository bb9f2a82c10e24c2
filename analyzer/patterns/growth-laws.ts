/** What waits without jitter may grow by, and what it costs to assume it. */
import { type Growth, type Intervals, meanAddend, reach, usualAddend, usualRise } from './growth.ts';

export interface Law extends Pick<Growth, 'perStep' | 'addend'> {
  /** Octaves above the first wait. */
  readonly cap: number;
  /** Logarithm of how likely it was before, beside a usual factor. */
  readonly cost: number;
}

export const NO_CAP = Number.POSITIVE_INFINITY;
/** What waits usually grow by, in octaves: by 2 and by 1.5. */
export const FACTORS = [1, Math.log2(1.5)] as const;
/** A figure taken from the intervals themselves explains one of them by itself: what that is worth. */
const OWN_FIGURE = -Math.log(200);

/**
 * @param sorted octaves in ascending order
 * @param first octaves of the wait that sequences start from
 */
export function lawsOf(intervals: Intervals, sorted: Float64Array, first: number): readonly Law[] {
  const cap = reach(sorted, intervals.count);
  return [
    ...factors(usualRise(intervals), cap),
    ...sums([usualAddend(intervals, first), meanAddend(intervals, first)], cap),
  ];
}

/** What costs more than one figure is a fallback, and takes no share of the kind's probability from the others. */
export function takesShare({ cost }: Law): boolean {
  return cost >= OWN_FIGURE;
}

function factors(own: number | undefined, cap: number): Law[] {
  if (own === undefined) {
    return [];
  }
  const laws = [...FACTORS.map((perStep) => ({ perStep, cost: 0 })), { perStep: own, cost: OWN_FIGURE }];
  return laws.flatMap((law) => [NO_CAP, cap].map((most) => ({ ...law, addend: 0, cap: most })));
}

/** Rarer than factors, so that each costs once more. A cap could explain any sum's later half, and costs as well. */
function sums(own: readonly (number | undefined)[], cap: number): Law[] {
  const addends = own.filter((addend) => addend !== undefined);
  if (addends.length === 0) {
    return [];
  }
  const laws = [{ addend: 1, cost: OWN_FIGURE }, ...addends.map((addend) => ({ addend, cost: 2 * OWN_FIGURE }))];
  return laws.flatMap(({ addend, cost }) => [
    { perStep: 0, addend, cap: NO_CAP, cost },
    { perStep: 0, addend, cap, cost: cost + OWN_FIGURE },
  ]);
}
