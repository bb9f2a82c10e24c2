/**
 * Which alarms there are: what each counts, when it goes off and what it says. Ten at most, since ten are free in an
 * account; and each is worth a look at 3 a.m.
 */

import type { MetricName } from '../../contract/metrics.ts';

/** How often something has to happen for its alarm to go off. */
export interface AlarmThresholds {
  /**
   * Keys in an hour. At so many the issuer pauses itself. Choose it far above your busiest hour, and below what
   * `globalLimits` lets out in an hour, else the limit is always there first.
   *
   * @default 100 - a fifth of the day's 500, or ten visitors who take all that they may have
   */
  readonly keysPerHour?: number;

  /**
   * Refusals in an hour because the limit for everybody is reached.
   *
   * @default 1 - from the first on, every visitor is refused until the window ends
   */
  readonly budgetExhausted?: number;

  /**
   * Requests in 5 minutes for which OpenAI refused our key, our settings or our bill.
   *
   * @default 1 - it does not pass by itself
   */
  readonly upstreamRefused?: number;

  /**
   * Requests in 15 minutes that OpenAI did not serve.
   *
   * @default 10 - a single failure, or a burst of them, passes by itself
   */
  readonly upstreamUnavailable?: number;

  /**
   * Requests in 5 minutes for which DynamoDB did not answer.
   *
   * @default 5 - the function has tried twice for each of them
   */
  readonly limiterUnavailable?: number;

  /**
   * Keys in 5 minutes that left while DynamoDB did not answer. It happens only with `limiterFailureMode: 'open'`.
   *
   * @default 1 - nobody counts these
   */
  readonly failedOpen?: number;

  /**
   * Answers in 5 minutes that say `misconfigured` or `internal`.
   *
   * @default 1 - something is wrong with what was deployed
   */
  readonly faults?: number;

  /**
   * Invocations in 5 minutes that ended without an answer: a crash, no memory left, no time left.
   *
   * @default 3 - one may be a container that AWS took away
   */
  readonly functionErrors?: number;

  /**
   * Requests in 5 minutes that found the concurrency cap reached.
   *
   * @default 50 - a few come with every crowd, and their callers try again
   */
  readonly throttles?: number;

  /**
   * Failures in 5 minutes of the function that pauses the issuer.
   *
   * @default 1 - keys may be leaving still
   */
  readonly guardErrors?: number;
}

export type Threshold = keyof AlarmThresholds;

type Source =
  | { readonly counts: MetricName }
  | { readonly of: 'issuer' | 'guard'; readonly lambda: 'Errors' | 'Throttles' };

export interface AlarmKind {
  readonly source: Source;
  readonly minutes: number;
  readonly threshold: number;
  /** What a mail says of it. */
  readonly says: string;
}

export const ALARMS: Readonly<Record<Threshold, AlarmKind>> = {
  keysPerHour: {
    source: { counts: 'KeysIssued' },
    minutes: 60,
    threshold: 100,
    says: 'Keys leave far faster than usual. The issuer has paused itself, and stays so until you resume it.',
  },
  budgetExhausted: {
    source: { counts: 'BudgetExhausted' },
    minutes: 60,
    threshold: 1,
    says: 'The limit for everybody together is reached. Visitors are refused until its window ends.',
  },
  upstreamRefused: {
    source: { counts: 'UpstreamRefused' },
    minutes: 5,
    threshold: 1,
    says: 'OpenAI refuses our key, our settings or our bill. Nobody gets a key until that is mended.',
  },
  upstreamUnavailable: {
    source: { counts: 'UpstreamUnavailable' },
    minutes: 15,
    threshold: 10,
    says: 'OpenAI fails, is slow or limits us, or SSM does not give the key. Visitors are asked to try again.',
  },
  limiterUnavailable: {
    source: { counts: 'LimiterUnavailable' },
    minutes: 5,
    threshold: 5,
    says: 'DynamoDB does not answer. Without it nobody gets a key.',
  },
  failedOpen: {
    source: { counts: 'FailedOpen' },
    minutes: 5,
    threshold: 1,
    says: 'DynamoDB does not answer, and keys leave uncounted, as limiterFailureMode "open" has it.',
  },
  faults: {
    source: { counts: 'Faults' },
    minutes: 5,
    threshold: 1,
    says: 'The function answers "misconfigured" or "internal". The log has the reason.',
  },
  functionErrors: {
    source: { of: 'issuer', lambda: 'Errors' },
    minutes: 5,
    threshold: 3,
    says: 'The function ends without an answer: a crash, no memory left, no time left.',
  },
  throttles: {
    source: { of: 'issuer', lambda: 'Throttles' },
    minutes: 5,
    threshold: 50,
    says: 'More requests at once than the concurrency cap lets in. Their callers hear "busy".',
  },
  guardErrors: {
    source: { of: 'guard', lambda: 'Errors' },
    minutes: 5,
    threshold: 1,
    says: 'The function that should pause the issuer failed. Keys may be leaving still.',
  },
};

/** The alarm by which the issuer pauses itself. */
export const PAUSING: Threshold = 'keysPerHour';

export function thresholds(): Threshold[] {
  return Object.keys(ALARMS) as Threshold[];
}

export function isThreshold(name: string): name is Threshold {
  return Object.hasOwn(ALARMS, name);
}

/** The last part of an alarm's name, which is also its heading in the runbook: `keys-per-hour` of `keysPerHour`. */
export function headingOf(threshold: Threshold): string {
  return threshold.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}
