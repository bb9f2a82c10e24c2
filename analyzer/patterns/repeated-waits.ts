/**
 * Waits that are nearly equal to others, in a sequence that follows no rule. Random draws hardly ever coincide: where many
 * waits do, they are somebody's fixed ones among others, cut off at a cap, or times that the server has named.
 */

/** Octaves, 0.35 %: of clients that draw half of each wait or more, fewer than one in 1,000 have a third so close together. */
const ALIKE = 0.005;
/** Two are a coincidence. */
const LEAST_ALIKE = 3;
const LEAST_REPEATED = 4;
const LEAST_SHARE = 1 / 3;

/**
 * @param sorted octaves in ascending order, `count` of them
 * @returns how many are equal to two others or more; 0 for so few that it may be chance
 */
export function countRepeated(sorted: Float64Array, count: number): number {
  let repeated = 0;
  let from = 0;
  for (let index = 1; index <= count; index += 1) {
    if (index === count || (sorted[index] ?? 0) - (sorted[from] ?? 0) > ALIKE) {
      repeated += index - from >= LEAST_ALIKE ? index - from : 0;
      from = index;
    }
  }
  return repeated >= Math.max(LEAST_REPEATED, LEAST_SHARE * count) ? repeated : 0;
}
