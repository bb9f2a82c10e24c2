/**
 * The evidence for several clients with fixed waits behind one address: a few different waits, each occurring several
 * times.
 */
import { NEVER } from './evidence.ts';
import { KEPT_INTERVALS } from './interval-ring.ts';
import { evidenceOfSteady } from './steady-waits.ts';

const MOST_BEHIND_ONE_ADDRESS = 6;
/** A single wait that differs from all others is a stall, and not a client. */
const LEAST_OF_A_CLIENT = 2;
/** Two waits belong to different clients if they are more than this many octaves (5 %) apart. */
const APART = 0.07;

const LN_FACTORIALS = lnFactorials(KEPT_INTERVALS + MOST_BEHIND_ONE_ADDRESS);

/**
 * A few groups of equal waits in any order. The order itself has the probability (k-1)! n1!..nk! / (n+k-1)!
 * (Dirichlet-multinomial).
 * @param sorted octaves in ascending order
 * @param ends the end of each group in `sorted`
 */
export function evidenceOfSeveral(sorted: Float64Array, ends: readonly number[]): number {
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
    evidence += lnFactorial(end - from) + evidenceOfSteady(sorted, from, end);
    from = end;
  }
  return evidence;
}

/**
 * Groups intervals that are close together.
 * @param sorted octaves in ascending order, `count` of them.
 * @returns the end of each group
 */
export function endsOfGroups(sorted: Float64Array, count: number): number[] {
  const ends: number[] = [];
  for (let index = 1; index <= count; index += 1) {
    if (index === count || (sorted[index] ?? 0) - (sorted[index - 1] ?? 0) > APART) {
      ends.push(index);
    }
  }
  return ends;
}

function lnFactorials(most: number): Float64Array {
  const logarithms = new Float64Array(most + 1);
  for (let n = 2; n <= most; n += 1) {
    logarithms[n] = (logarithms[n - 1] ?? 0) + Math.log(n);
  }
  return logarithms;
}

function lnFactorial(n: number): number {
  return LN_FACTORIALS[n] ?? Number.NaN;
}
