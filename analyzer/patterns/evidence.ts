/**
 * Evidence: how well a hypothesis explains a client's intervals, as the logarithm of a probability density per octave. So the
 * evidence of different hypotheses can be compared. The method is Bayesian because few intervals are the common case, and
 * a match that could be chance then counts little.
 */

/** The evidence of an impossible hypothesis. */
export const NEVER = Number.NEGATIVE_INFINITY;

/** The prior for the position E covers this many octaves. */
const POSITIONS = 20;
/** Intervals without any rule are assumed to spread over this many octaves. */
const SPREAD = 8;
/** Stalls of the machine or the network, which say nothing about the client: their share, and the cost of assuming one. */
const STALLS = 0.02;
const STALL_COST = Math.log(STALLS / SPREAD);

/**
 * The hypothesis: each interval is `E * u`, with u uniform in [1 - width, 1] and E unknown. The evidence is the
 * integral over log2 E of the product of `ln 2 * 2^(r - log2 E) / width`, divided by the octaves that E may lie in.
 * @param count number of residuals r, which are log2 of intervals
 * @param sum of the residuals
 * @param least smallest residual
 * @param most largest residual
 */
export function uniformEvidence(count: number, sum: number, least: number, most: number, width: number): number {
  const room = width >= 1 ? Number.POSITIVE_INFINITY : least - Math.log2(1 - width) - most;
  if (room <= 0) {
    return NEVER;
  }
  const density = count * Math.log(Math.LN2 / width) + Math.LN2 * (sum - count * most);
  return density + Math.log1p(-(2 ** (-count * room))) - Math.log(count * Math.LN2 * POSITIONS);
}

/** The same for the `sorted` residuals from `from` up to `to`, of which up to `stalls` at the two ends may be stalls. */
export function steadyEvidence(sorted: Float64Array, from: number, to: number, stalls: number, width: number): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    sum += sorted[index] ?? 0;
  }
  let first = from;
  let last = to - 1;
  let best = uniformEvidence(to - from, sum, sorted[first] ?? 0, sorted[last] ?? 0, width);
  // A stall lengthens one interval and shortens the one after it, so both are at an end of the sorted residuals.
  for (let left = stalls, cost = 0; left > 0; left -= 1) {
    const middle = sorted[(first + last) >> 1] ?? 0;
    const low = sorted[first] ?? 0;
    const high = sorted[last] ?? 0;
    if (high - middle >= middle - low) {
      sum -= high;
      last -= 1;
    } else {
      sum -= low;
      first += 1;
    }
    cost += STALL_COST;
    const evidence = uniformEvidence(last - first + 1, sum, sorted[first] ?? 0, sorted[last] ?? 0, width) + cost;
    best = Math.max(best, evidence);
  }
  return best;
}

/** @returns a tenth of the intervals, rounded down */
export function mostStalls(count: number): number {
  return Math.floor(count / 10);
}

/** The hypothesis that the intervals follow no rule. */
export function freeEvidence(count: number): number {
  return -count * Math.log(SPREAD);
}

/** ln(e^a + e^b) */
export function addLogs(one: number, other: number): number {
  const least = Math.min(one, other);
  const most = Math.max(one, other);
  return least === NEVER ? most : most + Math.log1p(Math.exp(least - most));
}

/**
 * The logarithm of the average of probabilities: the hypotheses of one kind share that kind's prior.
 * @param values logarithms of the probabilities
 * @param hypotheses number of hypotheses, including impossible ones that are not in `values`
 */
export function average(values: readonly number[], hypotheses: number): number {
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
  return most + Math.log(sum / hypotheses);
}

/** @returns octaves between the smallest and the largest `E * u`, with u in [1 - width, 1] */
export function octavesOfWidth(width: number): number {
  return -Math.log2(1 - width);
}
