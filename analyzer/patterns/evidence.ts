/**
 * How well an assumption explains intervals, as the logarithm of a probability density per octave: comparable whatever
 * the assumption was. Bayesian, because few intervals are the common case: what could be chance counts little by itself.
 */

/** Of what cannot be. */
export const NEVER = Number.NEGATIVE_INFINITY;

/** Positions are looked for over this many octaves, and what follows no rule is spread over that many. */
const POSITIONS = 20;
const SPREAD = 8;
/** A stall of the machine or of the network that says nothing about the client: its share, and what one of them costs. */
const STALLS = 0.02;
const STALL_COST = Math.log(STALLS / SPREAD);

/**
 * Each interval is `E * u`, u uniform in [1 - width, 1], and nothing is known of E:
 * integral over log2 E of the product of `ln 2 * 2^(r - log2 E) / width`, divided by the octaves that E may lie in.
 * @param count of residuals, which are log2 of intervals
 */
export function uniformEvidence(count: number, sum: number, least: number, most: number, width: number): number {
  const room = width >= 1 ? Number.POSITIVE_INFINITY : least - Math.log2(1 - width) - most;
  if (room <= 0) {
    return NEVER;
  }
  const density = count * Math.log(Math.LN2 / width) + Math.LN2 * (sum - count * most);
  return density + Math.log1p(-(2 ** (-count * room))) - Math.log(count * Math.LN2 * POSITIONS);
}

/** The same for those of `sorted` residuals from `from` up to `to`, of which so many at the ends may be stalls. */
export function steadyEvidence(sorted: Float64Array, from: number, to: number, stalls: number, width: number): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    sum += sorted[index] ?? 0;
  }
  let first = from;
  let last = to - 1;
  let best = uniformEvidence(to - from, sum, sorted[first] ?? 0, sorted[last] ?? 0, width);
  // A stall makes an interval longer, so it stands at the end; what looks shorter is the one that came after it.
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

/** A tenth. */
export function mostStalls(count: number): number {
  return Math.floor(count / 10);
}

/** No rule at all. */
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
 * Of probabilities whose logarithms are given: assumptions of one kind share the kind's.
 * @param assumptions how many there are, those included that are impossible and not among `values`
 */
export function average(values: readonly number[], assumptions: number): number {
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

/** The octaves between the ends of `E * u`, u in [1 - width, 1]. */
export function octavesOfWidth(width: number): number {
  return -Math.log2(1 - width);
}
