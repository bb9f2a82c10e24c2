/**
 * What a client does between its tries, from its last intervals: equal waits, growing waits, a few equal waits side by
 * side (several clients behind one address), or jitter, and how wide. The core rule's spread over all intervals cannot
 * tell: waits that double have a spread of 0.33 to 1.0 and look jittered, as two steady clients behind one address do.
 */
import { addLogs } from './evidence.ts';
import { groupsOf, growing, HALF, jittered, LEAST_WEAK, several, steady, WEAK, wide } from './explanations.ts';
import { type Intervals, usualRise } from './growth.ts';

export const PATTERNS = [
  'none',
  'unclear',
  'fixed',
  'growing_without_jitter',
  'several_fixed',
  'weak_jitter',
  'equal_jitter',
  'full_jitter',
] as const;
export type PatternName = (typeof PATTERNS)[number];

export interface Pattern {
  /** `none` without intervals; `unclear` where no explanation is likely enough. */
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
  /** The fixed wait, or that of each client behind one address, in milliseconds, the shortest first. */
  readonly periods_ms?: readonly number[];
}

/** The fault that this is all about. Weak jitter is a fault of its own. */
export function hasNoJitter(name: PatternName): boolean {
  return name === 'fixed' || name === 'growing_without_jitter' || name === 'several_fixed';
}

/** Fewer say nothing: two equal waits are one coincidence, and any three are near some growth. */
export const LEAST_INTERVALS = 3;
export const LEAST_GROWING = 5;
const LEAST_CONFIDENCE = 0.9;

/** No jitter explains any intervals better than by its density; what exceeds that by e^7 need not be compared. */
const SURE = 7;

type Kind = Exclude<PatternName, 'none' | 'unclear'>;

export function findPattern(intervals: Intervals): Pattern {
  const count = intervals.octaves.length;
  if (count < LEAST_INTERVALS) {
    return { name: count === 0 ? 'none' : 'unclear', confidence: 0, intervals: count };
  }
  const fixed = steady(intervals.octaves);
  if (fixed > count * Math.log(Math.LN2 / LEAST_WEAK) + SURE) {
    return {
      name: 'fixed',
      confidence: 1,
      intervals: count,
      periods_ms: [middleMs(intervals.octaves.slice().sort())],
    };
  }
  const groups = groupsOf(intervals.octaves);
  const rise = usualRise(intervals);
  const evidence: Record<Kind, number> = {
    fixed,
    growing_without_jitter: growing(intervals, rise),
    several_fixed: several(groups, count),
    weak_jitter: jittered(intervals, WEAK),
    equal_jitter: jittered(intervals, HALF),
    full_jitter: wide(intervals),
  };
  const [name, confidence] = likeliest(evidence);
  if (confidence < LEAST_CONFIDENCE || (name === 'growing_without_jitter' && count < LEAST_GROWING)) {
    return { name: 'unclear', confidence, intervals: count };
  }
  return {
    name,
    confidence,
    intervals: count,
    ...(name === 'growing_without_jitter' && rise !== undefined ? { factor: round(2 ** rise) } : {}),
    ...(name === 'several_fixed' ? { periods_ms: groups.map(middleMs) } : {}),
    ...(name === 'fixed' ? { periods_ms: [middleMs(intervals.octaves.slice().sort())] } : {}),
  };
}

/** Explanations without jitter vouch for each other: 1 s and 2 s in turn may be two clients or one, and both are at fault. */
function likeliest(evidence: Record<Kind, number>): [Kind, number] {
  let name: Kind = 'full_jitter';
  let total = Number.NEGATIVE_INFINITY;
  let together = Number.NEGATIVE_INFINITY;
  const kinds = Object.entries(evidence) as [Kind, number][];
  for (const [kind, value] of kinds) {
    total = addLogs(total, value);
    name = value > evidence[name] ? kind : name;
  }
  for (const [kind, value] of kinds) {
    together = kind === name || (hasNoJitter(kind) && hasNoJitter(name)) ? addLogs(together, value) : together;
  }
  return [name, Math.exp(together - total)];
}

function middleMs(group: Float64Array): number {
  return Math.round(2 ** (group[group.length >> 1] ?? 0));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
