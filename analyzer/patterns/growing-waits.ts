/** Growing waits: how well they explain intervals, and by which law they grow. */
import { average, mostStalls, NEVER } from './evidence.ts';
import {
  countSlips,
  countSteps,
  type Growth,
  growthAt,
  hasConnects,
  type Intervals,
  MOST_FALL,
  startsAfterFalls,
} from './growth.ts';
import { type Law, lawsOf, takesShare } from './growth-laws.ts';
import { KEPT_INTERVALS } from './interval-ring.ts';
import { areSteady, insertSteady, MOST_STEADY, steady } from './steady-waits.ts';

const EITHER: readonly boolean[] = [false, true];
const WITHOUT_RESTARTS: readonly boolean[] = [false];

/** Where laws are worked out: to allocate it for each of a client's sixty would take longer than all the rest. */
const steps = new Float64Array(KEPT_INTERVALS);
const residuals = new Float64Array(KEPT_INTERVALS);
const ordered = new Float64Array(KEPT_INTERVALS);

/**
 * By a factor or a sum, with and without a cap, started again by a fall or by a connection.
 * @param sorted octaves in ascending order
 */
export function growing(intervals: Intervals, sorted: Float64Array): number {
  const weighed = weighLaws(intervals, sorted);
  const assumptions = weighed.reduce((sum, { law }) => sum + (takesShare(law) ? 1 : 0), 0);
  return average(
    weighed.map(({ evidence }) => evidence),
    assumptions,
  );
}

/** What the waits grow by, where they do, and the wait that they grow from, in octaves. */
export function likeliestLaw(intervals: Intervals, sorted: Float64Array): { law: Law; first: number } | undefined {
  return weighLaws(intervals, sorted).sort((one, other) => other.evidence - one.evidence)[0];
}

interface Weighed {
  readonly law: Law;
  readonly first: number;
  readonly evidence: number;
}

function weighLaws(intervals: Intervals, sorted: Float64Array): Weighed[] {
  // Whatever waits without jitter grow by, they start from the same one, and fall to no other: most with jitter are told by that.
  const stalls = mostStalls(intervals.count);
  const starts = startsAfterFalls(intervals, MOST_FALL, residuals);
  if (!areSteady(residuals, starts, stalls, ordered) || countSlips(intervals, MOST_STEADY, MOST_FALL) > 2 * stalls) {
    return [];
  }
  const first = starts === 0 ? (intervals.octaves[0] ?? 0) : (ordered[starts >> 1] ?? 0);
  const ways = hasConnects(intervals) ? EITHER : WITHOUT_RESTARTS;
  const weighed: Weighed[] = [];
  for (const law of lawsOf(intervals, sorted, first)) {
    for (const restartsOnConnect of ways) {
      weighed.push({ law, first, evidence: grown(intervals, law, restartsOnConnect) + law.cost });
    }
  }
  return weighed;
}

function grown(intervals: Intervals, { perStep, addend, cap }: Law, restartsOnConnect: boolean): number {
  const { count } = intervals;
  const growth: Growth = { perStep, addend, mostFall: MOST_FALL, restartsOnConnect };
  if (countSteps(intervals, growth, steps) === 0) {
    return NEVER;
  }
  const stalls = mostStalls(count);
  for (let index = 0; index < count; index += 1) {
    const residual = (intervals.octaves[index] ?? 0) - growthAt(steps[index] ?? 0, growth, cap);
    if (!insertSteady(residual, ordered, index, stalls)) {
      return NEVER;
    }
  }
  return steady(ordered, 0, count);
}
