/**
 * The function's metrics, by the names that alarms, dashboard and command line use. There are ten, because an account has ten
 * metrics for free.
 */

export const METRICS_NAMESPACE = 'EphemeralKeyIssuer';

/** Its value is the function's name, which separates two issuers in one account. */
export const METRICS_DIMENSION = 'function';

/** Each metric with its CloudWatch unit. */
export const METRICS = {
  KeysIssued: 'Count',
  RateLimited: 'Count',
  BudgetExhausted: 'Count',
  Paused: 'Count',
  UpstreamRefused: 'Count',
  UpstreamUnavailable: 'Count',
  LimiterUnavailable: 'Count',
  Faults: 'Count',
  /** Keys issued while DynamoDB was unavailable. They count as KeysIssued too. */
  FailedOpen: 'Count',
  MintTime: 'Milliseconds',
} as const;

export type MetricName = keyof typeof METRICS;
