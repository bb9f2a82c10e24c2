/** The evidence for growing waits, and the growth law that explains the intervals best. */
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
import { areSteady, evidenceOfSteady, insertSteady, MOST_STEADY } from './steady-waits.ts';

const EITHER: readonly boolean[] = [false, true];
const WITHOUT_RESTARTS: readonly boolean[] = [false];

/** Reused work space: allocating it for each of a client's sixty laws would take longer than everything else. */
const steps = new Float64Array(KEPT_INTERVALS);
const residuals = new Float64Array(KEPT_INTERVALS);
const ordered = new Float64Array(KEPT_INTERVALS);

/**
 * The waits grow by a factor or an addend, with or without a cap, and start again after a fall or a connection.
 * @param sorted octaves in ascending order
 */
export function evidenceOfGrowth(intervals: Intervals, sorted: Float64Array): number {
  const weighed = weighLaws(intervals, sorted);
  const hypotheses = weighed.reduce((sum, { law }) => sum + (takesShare(law) ? 1 : 0), 0);
  return average(
    weighed.map(({ evidence }) => evidence),
    hypotheses,
  );
}

/** @returns the law with the most evidence, and the first wait in octaves; undefined if the waits do not grow */
export function likeliestLaw(intervals: Intervals, sorted: Float64Array): { law: Law; first: number } | undefined {
  return weighLaws(intervals, sorted).sort((one, other) => other.evidence - one.evidence)[0];
}

interface Weighed {
  readonly law: Law;
  readonly first: number;
  readonly evidence: number;
}

function weighLaws(intervals: Intervals, sorted: Float64Array): Weighed[] {
  // Without jitter, each sequence of growing waits starts from the same wait, and waits fall only to that one. This check
  // excludes most waits with jitter.
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
      weighed.push({ law, first, evidence: evidenceOfLaw(intervals, law, restartsOnConnect) + law.cost });
    }
  }
  return weighed;
}

function evidenceOfLaw(intervals: Intervals, { perStep, addend, cap }: Law, restartsOnConnect: boolean): number {
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
  return evidenceOfSteady(ordered, 0, count);
}
