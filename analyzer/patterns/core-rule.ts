/**
 * The core rule: rates the risk of a client by its number of requests and by how evenly its retries are spaced. Pure
 * functions. Other findings (backoff, fleets, several clients behind one address) never change these fields.
 */

export const RISK_LEVELS = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export const DEFAULT_THRESHOLD = 5;

/** Intervals count as jittered if their population standard deviation / mean is at least this. */
const JITTER_FROM = 0.05;

/** Tolerance for floating-point errors, so that a spread of exactly 0.05 counts as jittered. */
const ROUNDING = 1e-12;

/** The field names are those of the JSON output. */
export interface CoreAssessment {
  /** Mean, rounded to 2 decimals, halves up; 0 without intervals. */
  readonly avg_retry_interval_ms: number;
  readonly has_jitter: boolean;
  readonly is_rate_limited: boolean;
  readonly risk_level: RiskLevel;
}

export interface Observed {
  /** All events of the client, including connects and disconnects. */
  readonly totalRequests: number;
  /** The `retry_interval_ms` values from the log, without derived ones. Milliseconds, not negative. */
  readonly intervals: {
    readonly count: number;
    /** Ignored if `count` is 0. */
    readonly mean: number;
    /** Population standard deviation. Ignored if `count` is below 2. */
    readonly deviation: number;
  };
  /** Number of requests at which a client counts as rate limited; more than 0. */
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

/** Only the risk level, which is all that is needed to find the worst of many clients. */
export function assessRisk({ totalRequests, intervals, threshold }: Observed): RiskLevel {
  return riskOf(totalRequests, hasJitter(intervals), threshold);
}

/** A single interval has no spread and counts as no jitter, even if it is 0. Several intervals of 0 count as jitter. */
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
  // Half of an odd threshold lies between two counts: with a threshold of 5, three requests are MEDIUM and two are not.
  return !jitters && requests >= threshold / 2 ? 'MEDIUM' : 'LOW';
}

/** Rounds the exact value. Computing value * 100 first would round twice. */
function roundToHundredths(value: number): number {
  return Number(value.toFixed(2));
}
