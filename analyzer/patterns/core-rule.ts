/**
 * The core rule: how dangerous a client is, told from how often it came and how evenly it spaced its retries. Pure; what
 * else can be said of a client (backoff, fleets, several behind one address) is told elsewhere, and never in these fields.
 */

export const RISK_LEVELS = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export const DEFAULT_THRESHOLD = 5;

/** Population standard deviation / mean from which on intervals are said to be jittered. */
const JITTER_FROM = 0.05;

/** What sums of doubles are off: a spread of exactly 0.05 must not fall below it by that. */
const ROUNDING = 1e-12;

/** The names are those of the output. */
export interface CoreAssessment {
  /** Mean, rounded to 2 decimals, ties upwards; 0 without intervals. */
  readonly avg_retry_interval_ms: number;
  readonly has_jitter: boolean;
  readonly is_rate_limited: boolean;
  readonly risk_level: RiskLevel;
}

export interface Observed {
  /** All of the client's events: connects and disconnects too. */
  readonly totalRequests: number;
  /** The log's own `retry_interval_ms`, none that was derived. Milliseconds, none below 0. */
  readonly intervals: {
    readonly count: number;
    /** Not read where `count` is 0. */
    readonly mean: number;
    /** Population standard deviation. Not read where `count` is below 2. */
    readonly deviation: number;
  };
  /** Requests from which on a client is rate limited; more than 0. */
  readonly threshold: number;
}

export function assess({ totalRequests, intervals, threshold }: Observed): CoreAssessment {
  const jitters = hasJitter(intervals);
  const risk = riskOf(totalRequests, jitters, threshold);
  return {
    avg_retry_interval_ms: intervals.count === 0 ? 0 : roundToHundredths(intervals.mean),
    has_jitter: jitters,
    is_rate_limited: risk !== 'LOW',
    risk_level: risk,
  };
}

/** The least of it, for who looks at many clients to find the worst. */
export function assessRisk({ totalRequests, intervals, threshold }: Observed): RiskLevel {
  return riskOf(totalRequests, hasJitter(intervals), threshold);
}

/** One interval tells no spread, and is held against the client even if it is 0; several of 0 are not. */
function hasJitter({ count, mean, deviation }: Observed['intervals']): boolean {
  if (count < 2) {
    return count === 0;
  }
  return mean === 0 || deviation / mean >= JITTER_FROM * (1 - ROUNDING);
}

function riskOf(requests: number, jitters: boolean, threshold: number): RiskLevel {
  if (requests >= threshold) {
    return jitters ? 'HIGH' : 'CRITICAL';
  }
  // With an odd threshold, half of it lies between two counts: at 5, three requests are enough and two are not.
  return !jitters && requests >= threshold / 2 ? 'MEDIUM' : 'LOW';
}

/** Of the exact value: value * 100 would be a rounding of its own. */
function roundToHundredths(value: number): number {
  return Number(value.toFixed(2));
}
