/**
 * Detects a client's retry pattern from its last intervals: equal waits, growing waits, a few different equal waits (several
 * clients behind one address), or jitter of some width. The core rule's spread over all intervals cannot detect this:
 * waits that double have a spread of 0.33 to 1.0 and look jittered, and so do two clients with fixed waits behind one address.
 */
import { addLogs, NEVER } from './evidence.ts';
import { evidenceOfGrowth, likeliestLaw } from './growing-waits.ts';
import { type Intervals, usualRise } from './growth.ts';
import { ACCURACY } from './interval-code.ts';
import { evidenceOfFullJitter, evidenceOfJitter, HALF, LEAST_WEAK, WEAK } from './jittered-waits.ts';
import { countRepeated } from './repeated-waits.ts';
import { endsOfGroups, evidenceOfSeveral } from './several-clients.ts';
import { sortOctaves } from './sorted-octaves.ts';
import { evidenceOfEqual } from './steady-waits.ts';

export const PATTERNS = [
  'none',
  'unclear',
  'at_once',
  'fixed',
  'growing_without_jitter',
  'several_fixed',
  'weak_jitter',
  'equal_jitter',
  'full_jitter',
] as const;
export type PatternName = (typeof PATTERNS)[number];

export interface Pattern {
  /** `none`: no intervals. `unclear`: no explanation is probable enough. `at_once`: there is hardly any wait. */
  readonly name: PatternName;
  /**
   * Probability of the most probable explanation, 0 to 1, with equal priors. For a pattern without jitter, the
   * probability that there is no jitter, whatever the waits are.
   */
  readonly confidence: number;
  /** Number of intervals that were analysed. */
  readonly intervals: number;
  /** The factor from one wait to the next, if waits grow by a factor. */
  readonly factor?: number;
  /** The milliseconds added from one wait to the next, if waits grow by an addend. */
  readonly addend_ms?: number;
  /** If no rule explains the waits: how many are nearly equal to at least two others, which random waits hardly ever are. */
  readonly repeated?: number;
  /** The fixed wait, or the fixed wait of each client behind one address, in milliseconds, the shortest first. */
  readonly periods_ms?: readonly number[];
}

/** `weak`: too little jitter. `yes`: half of each wait or all of it is random, so little or nothing has to change. */
export type JitterOfPattern = 'yes' | 'weak' | 'no' | 'unknown';

/**
 * Whether the waits of a pattern have jitter. This is not the core rule's `has_jitter`, which depends only on the spread of
 * all intervals.
 */
export const JITTER_OF: Readonly<Record<PatternName, JitterOfPattern>> = {
  none: 'unknown',
  unclear: 'unknown',
  at_once: 'no',
  fixed: 'no',
  growing_without_jitter: 'no',
  several_fixed: 'no',
  weak_jitter: 'weak',
  equal_jitter: 'yes',
  full_jitter: 'yes',
};

/**
 * Shorter waits do not spread retries, whatever their jitter. In a log with whole milliseconds, their jitter cannot be
 * measured either.
 */
export const LEAST_WAIT_MS = 20;
/**
 * Minimum for `fixed`: two equal waits may be a coincidence. Other patterns need more: any three waits fit some growth,
 * and any four look random.
 */
export const LEAST_INTERVALS = 3;
const LEAST_UNEQUAL = 5;
const LEAST_CONFIDENCE = 0.9;

/**
 * No jitter can explain intervals better than its density allows. If other evidence exceeds that by e^7, jitter need
 * not be weighed.
 */
const SURE = 7;

/** The patterns that are compared with each other, in the order of PATTERNS. */
const KINDS = PATTERNS.slice(PATTERNS.indexOf('fixed'));
const [FIXED, GROWING, SEVERAL, WEAK_JITTER, HALF_JITTER, FULL_JITTER] = [0, 1, 2, 3, 4, 5] as const;
/** The evidence for each kind. The array is reused for the next client, because a log has many clients. */
const evidence = new Float64Array(KINDS.length);

/** The part of a pattern that is stored for each client. The rest is computed from it on demand. */
export type Likeliest = Pick<Pattern, 'name' | 'confidence'>;

/** Finds the pattern of intervals that the log reports. */
export function findPattern(intervals: Intervals): Pattern {
  return describePattern(intervals, judgePattern(intervals, false));
}

/**
 * Finds only the name and the confidence of the pattern.
 * @param areDerived whether the intervals are gaps between log lines, which cannot show several clients behind one address
 */
export function judgePattern(intervals: Intervals, areDerived: boolean): Likeliest {
  const { count } = intervals;
  if (count < LEAST_INTERVALS) {
    return { name: count === 0 ? 'none' : 'unclear', confidence: 0 };
  }
  const sorted = sortOctaves(intervals);
  weigh(intervals, sorted, areDerived);
  const likeliest = likeliestOf();
  if (JITTER_OF[likeliest.name] === 'yes' && countRepeated(sorted, count) > 0) {
    // Jitter of any width cannot explain repeated waits.
    return { name: 'unclear', confidence: 0 };
  }
  const isUnclear = likeliest.confidence < LEAST_CONFIDENCE || (likeliest.name !== 'fixed' && count < LEAST_UNEQUAL);
  return isUnclear ? { name: 'unclear', confidence: likeliest.confidence } : likeliest;
}

/** @param likeliest the result of {@link judgePattern} for the same intervals */
export function describePattern(intervals: Intervals, likeliest: Likeliest): Pattern {
  const pattern = { ...likeliest, intervals: intervals.count };
  switch (likeliest.name) {
    case 'fixed':
      return { ...pattern, periods_ms: mediansOf(sortOctaves(intervals), [intervals.count]) };
    case 'several_fixed': {
      const sorted = sortOctaves(intervals);
      return { ...pattern, periods_ms: mediansOf(sorted, endsOfGroups(sorted, intervals.count)) };
    }
    case 'growing_without_jitter':
      return { ...pattern, ...growthOf(intervals) };
    case 'unclear': {
      const repeated = countRepeated(sortOctaves(intervals), intervals.count);
      return repeated === 0 ? pattern : { ...pattern, repeated };
    }
    default:
      return pattern;
  }
}

/** Weighs the kinds one after the other, the cheap ones first, and stops when the remaining ones cannot change the result. */
function weigh(intervals: Intervals, sorted: Float64Array, areDerived: boolean): void {
  const { count } = intervals;
  const sure = count * Math.log(Math.LN2 / LEAST_WEAK) + SURE;
  evidence.fill(NEVER);
  evidence[FIXED] = evidenceOfEqual(sorted, count);
  if (evidence[FIXED] > sure) {
    return;
  }
  evidence[GROWING] = evidenceOfGrowth(intervals, sorted);
  evidence[SEVERAL] = areDerived ? NEVER : evidenceOfSeveral(sorted, endsOfGroups(sorted, count));
  if (evidence[GROWING] > sure || evidence[SEVERAL] > sure) {
    return;
  }
  evidence[WEAK_JITTER] = evidenceOfJitter(intervals, sorted, WEAK);
  evidence[HALF_JITTER] = evidenceOfJitter(intervals, sorted, HALF);
  const isOnlyOneLeft = evidence.every((value) => value === NEVER);
  evidence[FULL_JITTER] = isOnlyOneLeft ? 0 : evidenceOfFullJitter(intervals, sorted);
}

/**
 * Explanations without jitter add up: alternating waits of 1 s and 2 s may come from two clients or one, but have no
 * jitter in either case.
 */
function likeliestOf(): Likeliest {
  let best: number = FULL_JITTER;
  let total = NEVER;
  for (let kind = 0; kind < KINDS.length; kind += 1) {
    total = addLogs(total, evidence[kind] ?? NEVER);
    best = (evidence[kind] ?? NEVER) > (evidence[best] ?? NEVER) ? kind : best;
  }
  let together = evidence[best] ?? NEVER;
  for (let kind = 0; kind < KINDS.length && best <= SEVERAL; kind += 1) {
    together = kind <= SEVERAL && kind !== best ? addLogs(together, evidence[kind] ?? NEVER) : together;
  }
  return { name: KINDS[best] ?? 'unclear', confidence: Math.exp(together - total) };
}

function growthOf(intervals: Intervals): Pick<Pattern, 'factor' | 'addend_ms'> {
  const likeliest = likeliestLaw(intervals, sortOctaves(intervals));
  if (likeliest === undefined || likeliest.law.addend === 0) {
    return { factor: round(2 ** (usualRise(intervals) ?? 0)) };
  }
  // The difference of two waits has the absolute error of the waits themselves, so it is less accurate.
  return { addend_ms: roundToAccuracy(likeliest.law.addend * 2 ** likeliest.first, 10 * ACCURACY) };
}

/** The median interval of each group, in milliseconds. */
function mediansOf(sorted: Float64Array, ends: readonly number[]): number[] {
  return ends.map((end, index) => {
    const from = ends[index - 1] ?? 0;
    return roundToAccuracy(2 ** (sorted[from + ((end - from) >> 1)] ?? 0), ACCURACY);
  });
}

/** Drops digits beyond the accuracy: the code of 30,000 ms decodes to 29,996. */
function roundToAccuracy(milliseconds: number, accuracy: number): number {
  const unit = 10 ** Math.max(0, Math.ceil(Math.log10(milliseconds * accuracy)));
  return Math.round(milliseconds / unit) * unit;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
