/**
 * What the function counts, by the names under which alarms, dashboard and command line find it. Ten, since ten metrics
 * are free in an account.
 */

export const METRICS_NAMESPACE = 'EphemeralKeyIssuer';

/** Its value is the function's name: it separates two issuers in one account. */
export const METRICS_DIMENSION = 'function';

/** Each with its unit, as CloudWatch spells it. */
export const METRICS = {
  KeysIssued: 'Count',
  RateLimited: 'Count',
  BudgetExhausted: 'Count',
  Paused: 'Count',
  UpstreamRefused: 'Count',
  UpstreamUnavailable: 'Count',
  LimiterUnavailable: 'Count',
  Faults: 'Count',
  /** Counted beside KeysIssued: keys that left while DynamoDB did not answer. */
  FailedOpen: 'Count',
  MintTime: 'Milliseconds',
} as const;

export type MetricName = keyof typeof METRICS;
