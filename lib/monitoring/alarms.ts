/**
 * The alarms: what each one counts, when it goes off, and its description. There are ten at most, because ten are free in an
 * account, and each one is worth a look at 3 a.m.
 */

import type { MetricName } from '../../contract/metrics.ts';

/** The number of events at which each alarm goes off. */
export interface AlarmThresholds {
  /**
   * Keys issued in an hour. At this number the issuer pauses itself. Choose a number far above your busiest hour, and below what
   * `globalLimits` allows in an hour; otherwise that limit is always reached first.
   *
   * @default 100 - a fifth of the 500 keys of a day, or ten visitors who each use their whole limit
   */
  readonly keysPerHour?: number;

  /**
   * Requests refused in an hour because the limit for all visitors together is reached.
   *
   * @default 1 - after the first one, every visitor is refused until the window ends
   */
  readonly budgetExhausted?: number;

  /**
   * Requests that failed in 5 minutes because OpenAI rejected the API key, the session settings or an unpaid bill.
   *
   * @default 1 - it does not end by itself
   */
  readonly upstreamRefused?: number;

  /**
   * Requests that failed in 15 minutes because OpenAI was unavailable, or its API key could not be read from SSM.
   *
   * @default 10 - a single failure, or a burst of them, ends by itself
   */
  readonly upstreamUnavailable?: number;

  /**
   * Requests in 5 minutes for which DynamoDB did not respond.
   *
   * @default 5 - the function has already tried twice for each of them
   */
  readonly limiterUnavailable?: number;

  /**
   * Keys issued in 5 minutes while DynamoDB did not respond. This happens only with `limiterFailureMode: 'open'`.
   *
   * @default 1 - these keys are not counted
   */
  readonly failedOpen?: number;

  /**
   * Responses in 5 minutes with the code `misconfigured` or `internal`.
   *
   * @default 1 - the deployment has an invalid configuration or a bug
   */
  readonly faults?: number;

  /**
   * Invocations in 5 minutes that ended without a response: a crash, out of memory, or a timeout.
   *
   * @default 3 - a single one may be a container that AWS stopped
   */
  readonly functionErrors?: number;

  /**
   * Requests in 5 minutes that Lambda throttled because the concurrency cap was reached.
   *
   * @default 50 - every crowd causes a few, and their clients retry
   */
  readonly throttles?: number;

  /**
   * Failures in 5 minutes of the function that pauses the issuer.
   *
   * @default 1 - keys may still be issued
   */
  readonly guardErrors?: number;
}

export type AlarmId = keyof AlarmThresholds;

type Source =
  | { readonly counts: MetricName }
  | { readonly of: 'issuer' | 'guard'; readonly lambda: 'Errors' | 'Throttles' };

export interface AlarmDefinition {
  readonly source: Source;
  readonly minutes: number;
  readonly threshold: number;
  /** The first sentences of the alarm's mail. They are read at night, and must be clear on their own. */
  readonly description: string;
}

export const ALARMS: Readonly<Record<AlarmId, AlarmDefinition>> = {
  keysPerHour: {
    source: { counts: 'KeysIssued' },
    minutes: 60,
    threshold: 100,
    description:
      'Keys are issued far faster than usual. The issuer has paused itself and stays paused until you resume it.',
  },
  budgetExhausted: {
    source: { counts: 'BudgetExhausted' },
    minutes: 60,
    threshold: 1,
    description: 'The limit for all visitors together is reached. Every visitor is refused until its window ends.',
  },
  upstreamRefused: {
    source: { counts: 'UpstreamRefused' },
    minutes: 5,
    threshold: 1,
    description:
      'OpenAI rejects our API key, our session settings or our unpaid bill. Nobody gets a key until this is fixed.',
  },
  upstreamUnavailable: {
    source: { counts: 'UpstreamUnavailable' },
    minutes: 15,
    threshold: 10,
    description:
      'OpenAI fails, is slow or throttles us, or our API key cannot be read from SSM. Visitors are asked to try again.',
  },
  limiterUnavailable: {
    source: { counts: 'LimiterUnavailable' },
    minutes: 5,
    threshold: 5,
    description: 'DynamoDB does not respond. Without it, nobody gets a key.',
  },
  failedOpen: {
    source: { counts: 'FailedOpen' },
    minutes: 5,
    threshold: 1,
    description:
      'DynamoDB does not respond, and keys are issued without being counted, because limiterFailureMode is "open".',
  },
  faults: {
    source: { counts: 'Faults' },
    minutes: 5,
    threshold: 1,
    description: 'The function responds with "misconfigured" or "internal". The log shows the reason.',
  },
  functionErrors: {
    source: { of: 'issuer', lambda: 'Errors' },
    minutes: 5,
    threshold: 3,
    description: 'The function ends without a response: a crash, out of memory, or a timeout.',
  },
  throttles: {
    source: { of: 'issuer', lambda: 'Throttles' },
    minutes: 5,
    threshold: 50,
    description:
      'More requests arrive at the same time than the concurrency cap allows. Lambda rejects the others with 429 ("busy").',
  },
  guardErrors: {
    source: { of: 'guard', lambda: 'Errors' },
    minutes: 5,
    threshold: 1,
    description: 'The function that pauses the issuer failed. Keys may still be issued.',
  },
};

/** The alarm that makes the issuer pause itself. */
export const PAUSING_ALARM: AlarmId = 'keysPerHour';

export function alarmIds(): AlarmId[] {
  return Object.keys(ALARMS) as AlarmId[];
}

export function isAlarmId(name: string): name is AlarmId {
  return Object.hasOwn(ALARMS, name);
}

/** @returns the last part of the alarm's name, which is also its anchor in the runbook: `keys-per-hour` for `keysPerHour` */
export function runbookAnchor(id: AlarmId): string {
  return id.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}
