/**
 * What a client does between its tries, from its last intervals: equal waits, growing waits, a few equal waits side by
 * side (several clients behind one address), or jitter, and how wide. The core rule's spread over all intervals cannot
 * tell: waits that double have a spread of 0.33 to 1.0 and look jittered, as two steady clients behind one address do.
 */
import { addLogs, NEVER } from './evidence.ts';
import { growing, likeliestLaw } from './growing-waits.ts';
import { type Intervals, usualRise } from './growth.ts';
import { ACCURACY } from './interval-code.ts';
import { HALF, jittered, LEAST_WEAK, WEAK, wide } from './jittered-waits.ts';
import { countRepeated } from './repeated-waits.ts';
import { endsOfGroups, several } from './several-clients.ts';
import { sortOctaves } from './sorted-octaves.ts';
import { equal } from './steady-waits.ts';

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
  /** `none` without intervals; `unclear` where no explanation is likely enough; `at_once` where there is hardly a wait. */
  readonly name: PatternName;
  /**
   * Probability of the likeliest explanation, 0 to 1, given that each was equally likely before. Where there is no
   * jitter, it is the probability of that, whatever the waits are.
   */
  readonly confidence: number;
  /** How many intervals were looked at. */
  readonly intervals: number;
  /** Factor from one wait to the next, where they grow by one. */
  readonly factor?: number;
  /** Milliseconds from one wait to the next, where they grow by a sum. */
  readonly addend_ms?: number;
  /** Where no rule explains them: how many are nearly equal to two others or more, as random ones hardly ever are. */
  readonly repeated?: number;
  /** The fixed wait, or that of each client behind one address, in milliseconds, the shortest first. */
  readonly periods_ms?: readonly number[];
}

/** `weak` is too little, and `yes` is half a wait or all of it, in which little or nothing is to be changed. */
export type JitterOfPattern = 'yes' | 'weak' | 'no' | 'unknown';

/**
 * Whether waits of a pattern have jitter: the fault that this is all about is that they have none. The core rule's `has_jitter`
 * is another question, of their spread alone.
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

/** Waits that are shorter spread nobody, whatever their jitter; in a log of whole milliseconds it cannot be told either. */
export const LEAST_WAIT_MS = 20;
/** Fewer say nothing: two equal waits are one coincidence, any three are near some growth, and any four look random. */
export const LEAST_INTERVALS = 3;
const LEAST_UNEQUAL = 5;
const LEAST_CONFIDENCE = 0.9;

/** No jitter explains any intervals better than by its density; what exceeds that by e^7 need not be compared. */
const SURE = 7;

/** Those that are held against each other, in the order of PATTERNS. */
const KINDS = PATTERNS.slice(PATTERNS.indexOf('fixed'));
const [FIXED, GROWING, SEVERAL, WEAK_JITTER, HALF_JITTER, FULL_JITTER] = [0, 1, 2, 3, 4, 5] as const;
/** The evidence for each of them, overwritten by the next client's: a log has many. */
const evidence = new Float64Array(KINDS.length);

/** What is kept of each client; the rest of its pattern follows from it. */
export type Likeliest = Pick<Pattern, 'name' | 'confidence'>;

/** Of intervals that the log reports. */
export function findPattern(intervals: Intervals): Pattern {
  return describePattern(intervals, judgePattern(intervals, false));
}

/**
 * The same without what follows from it.
 * @param areDerived from gaps between log lines, which do not tell several clients behind one address apart
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
    // However wide a jitter explains them best, it does not explain that.
    return { name: 'unclear', confidence: 0 };
  }
  const isUnclear = likeliest.confidence < LEAST_CONFIDENCE || (likeliest.name !== 'fixed' && count < LEAST_UNEQUAL);
  return isUnclear ? { name: 'unclear', confidence: likeliest.confidence } : likeliest;
}

/** @param likeliest of the same intervals */
export function describePattern(intervals: Intervals, likeliest: Likeliest): Pattern {
  const pattern = { ...likeliest, intervals: intervals.count };
  switch (likeliest.name) {
    case 'fixed':
      return { ...pattern, periods_ms: middlesOf(sortOctaves(intervals), [intervals.count]) };
    case 'several_fixed': {
      const sorted = sortOctaves(intervals);
      return { ...pattern, periods_ms: middlesOf(sorted, endsOfGroups(sorted, intervals.count)) };
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

/** One after the other, the cheap ones first, until those that are left cannot change the answer. */
function weigh(intervals: Intervals, sorted: Float64Array, areDerived: boolean): void {
  const { count } = intervals;
  const sure = count * Math.log(Math.LN2 / LEAST_WEAK) + SURE;
  evidence.fill(NEVER);
  evidence[FIXED] = equal(sorted, count);
  if (evidence[FIXED] > sure) {
    return;
  }
  evidence[GROWING] = growing(intervals, sorted);
  evidence[SEVERAL] = areDerived ? NEVER : several(sorted, endsOfGroups(sorted, count));
  if (evidence[GROWING] > sure || evidence[SEVERAL] > sure) {
    return;
  }
  evidence[WEAK_JITTER] = jittered(intervals, sorted, WEAK);
  evidence[HALF_JITTER] = jittered(intervals, sorted, HALF);
  const isOnlyOneLeft = evidence.every((value) => value === NEVER);
  evidence[FULL_JITTER] = isOnlyOneLeft ? 0 : wide(intervals, sorted);
}

/** Explanations without jitter vouch for each other: 1 s and 2 s in turn may be two clients or one, and both are at fault. */
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
  // The difference of two waits is as far off as they are.
  return { addend_ms: asKnown(likeliest.law.addend * 2 ** likeliest.first, 10 * ACCURACY) };
}

/** The middle interval of each group, in milliseconds. */
function middlesOf(sorted: Float64Array, ends: readonly number[]): number[] {
  return ends.map((end, index) => {
    const from = ends[index - 1] ?? 0;
    return asKnown(2 ** (sorted[from + ((end - from) >> 1)] ?? 0), ACCURACY);
  });
}

/** No digits that are not known: of 30,000 ms, what is kept makes 29,996. */
function asKnown(milliseconds: number, accuracy: number): number {
  const unit = 10 ** Math.max(0, Math.ceil(Math.log10(milliseconds * accuracy)));
  return Math.round(milliseconds / unit) * unit;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
