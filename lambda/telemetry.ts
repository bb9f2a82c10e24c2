/**
 * Writes one JSON log line per request. Its `_aws` member makes CloudWatch create metrics from it (Embedded Metric Format).
 * It contains no key, no address and no text from OpenAI. There are ten metrics, because ten are free.
 */
import { stdout } from 'node:process';
import { METRICS, METRICS_DIMENSION, METRICS_NAMESPACE, type MetricName } from '../contract/metrics.ts';
import type { Verdict } from './answers/verdict.ts';
import type { Trace } from './trace.ts';

/** The metric that counts each verdict. Requests that never reach a limit have none. */
const METRIC_OF: Record<Verdict['code'], MetricName | undefined> = {
  issued: 'KeysIssued',
  rate_limited: 'RateLimited',
  budget_exhausted: 'BudgetExhausted',
  paused: 'Paused',
  // No metric: the operator set the block, and only ten metrics are free.
  blocked: undefined,
  upstream_refused: 'UpstreamRefused',
  upstream_unavailable: 'UpstreamUnavailable',
  limiter_unavailable: 'LimiterUnavailable',
  misconfigured: 'Faults',
  internal: 'Faults',
  origin_not_allowed: undefined,
  viewer_unknown: undefined,
  not_found: undefined,
  method_not_allowed: undefined,
  body_not_allowed: undefined,
  idempotency_key_invalid: undefined,
  replay_in_progress: undefined,
  preflight: undefined,
};

export interface Report {
  readonly verdict: Verdict;
  readonly status: number;
  readonly trace: Trace;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly requestId: string;
  /** Whether this is the first request of its container. */
  readonly coldStart: boolean;
  /** Separates two issuers in one account. */
  readonly functionName: string;
}

/** Does not use Lambda's `console`, which would put text before the JSON. */
export function log(report: Report): void {
  stdout.write(`${JSON.stringify(logLine(report))}\n`);
}

export function logLine(report: Report): Record<string, unknown> {
  const { verdict, trace, startedAt, endedAt } = report;
  const metric = METRIC_OF[verdict.code];
  const isRepeat = verdict.code === 'issued' && verdict.replayed;
  const values: Values = {
    ...(metric === undefined || isRepeat ? {} : { [metric]: 1 }),
    ...(verdict.code === 'issued' && verdict.failedOpen ? { FailedOpen: 1 } : {}),
    ...(trace.mintMs === undefined ? {} : { MintTime: trace.mintMs }),
  };
  return {
    time: new Date(startedAt).toISOString(),
    level: levelOf(verdict, trace),
    event: 'session',
    code: verdict.code,
    status: report.status,
    viewer: trace.viewer,
    duration_ms: endedAt - startedAt,
    cold_start: report.coldStart,
    request_id: report.requestId,
    ...detailsOf(verdict),
    release_failed: trace.releaseFailed,
    replay_failed: trace.replayFailed,
    ...(Object.keys(values).length === 0 ? {} : metrics(values, report)),
  };
}

function detailsOf(verdict: Verdict): Record<string, unknown> {
  const limit = 'limit' in verdict ? verdict.limit : undefined;
  return {
    ...(limit === undefined
      ? {}
      : { scope: limit.scope, limit: limit.limit, window_s: limit.windowMs / 1_000, remaining: limit.remaining }),
    ...('cached' in verdict ? { cached: verdict.cached } : {}),
    ...(verdict.code === 'issued' ? { replayed: verdict.replayed, failed_open: verdict.failedOpen } : {}),
    ...('reason' in verdict ? { reason: verdict.reason } : {}),
    ...(verdict.code === 'paused' ? { paused_by: verdict.by, paused_since: verdict.since } : {}),
  };
}

function levelOf(verdict: Verdict, trace: Trace): 'info' | 'warn' | 'error' {
  if (verdict.code === 'upstream_refused' || verdict.code === 'misconfigured' || verdict.code === 'internal') {
    return 'error';
  }
  const isDegraded = verdict.code === 'issued' && verdict.failedOpen;
  const hasFailed = trace.releaseFailed !== undefined || trace.replayFailed !== undefined;
  return 'reason' in verdict || isDegraded || hasFailed ? 'warn' : 'info';
}

type Values = Readonly<Partial<Record<MetricName, number>>>;

function metrics(values: Values, report: Report): Record<string, unknown> {
  return {
    _aws: {
      Timestamp: report.endedAt,
      CloudWatchMetrics: [
        {
          Namespace: METRICS_NAMESPACE,
          Dimensions: [[METRICS_DIMENSION]],
          Metrics: Object.keys(values).map((Name) => ({ Name, Unit: METRICS[Name as MetricName] })),
        },
      ],
    },
    [METRICS_DIMENSION]: report.functionName,
    ...values,
  };
}
