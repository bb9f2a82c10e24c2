/**
 * Counts waits that are nearly equal to others in a sequence that follows no rule. Random waits hardly ever coincide. If many
 * waits do, they are the fixed waits of one client among others, waits at a cap, or times that the server sent in Retry-After.
 */

/**
 * Octaves, 0.35 %. Of the clients that draw at least half of each wait at random, fewer than one in 1,000 have a third
 * of their waits this close together.
 */
const ALIKE = 0.005;
/** Two equal waits may be a coincidence. */
const LEAST_ALIKE = 3;
const LEAST_REPEATED = 4;
const LEAST_SHARE = 1 / 3;

/**
 * @param sorted octaves in ascending order, `count` of them
 * @returns number of waits that are equal to at least two others; 0 if there are so few that it may be chance
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
