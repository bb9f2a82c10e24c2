import { stdout } from 'node:process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Verdict } from '../../lambda/answers/verdict.ts';
import { log, logLine, type Report } from '../../lambda/telemetry.ts';
import type { Trace } from '../../lambda/trace.ts';
import { viewerId } from '../../lambda/visitor/viewer.ts';
import { ALL_VERDICTS, CLIENT_LIMIT, ISSUED, KEY, NOW } from '../support/verdicts.ts';

const VIEWER = viewerId('203.0.113.9', 56, new Uint8Array(32));

/** From a request that ended before its viewer was known, to one that could not release its reservations. */
const TRACES: readonly Trace[] = [
  {},
  { viewer: VIEWER },
  { viewer: VIEWER, mintMs: 0 },
  { viewer: VIEWER, mintMs: 4_012, releaseFailed: 'the table is unavailable' },
];

const EXPECTED: Record<Verdict['code'], { readonly metric?: string; readonly level: string }> = {
  issued: { metric: 'KeysIssued', level: 'info' },
  preflight: { level: 'info' },
  rate_limited: { metric: 'RateLimited', level: 'info' },
  budget_exhausted: { metric: 'BudgetExhausted', level: 'info' },
  paused: { metric: 'Paused', level: 'info' },
  blocked: { level: 'info' },
  origin_not_allowed: { level: 'info' },
  viewer_unknown: { level: 'info' },
  not_found: { level: 'info' },
  method_not_allowed: { level: 'info' },
  body_not_allowed: { level: 'info' },
  idempotency_key_invalid: { level: 'info' },
  replay_in_progress: { level: 'info' },
  upstream_unavailable: { metric: 'UpstreamUnavailable', level: 'warn' },
  limiter_unavailable: { metric: 'LimiterUnavailable', level: 'warn' },
  upstream_refused: { metric: 'UpstreamRefused', level: 'error' },
  misconfigured: { metric: 'Faults', level: 'error' },
  internal: { metric: 'Faults', level: 'error' },
};

function report(verdict: Verdict, trace: Trace): Report {
  const times = { startedAt: NOW, endedAt: NOW + 137 };
  return { verdict, trace, ...times, status: 418, requestId: '8f5c1e0a', coldStart: true, functionName: 'issuer' };
}

/** The log line after parsing. */
function lineOf(verdict: Verdict, trace: Trace = {}): Record<string, unknown> {
  return JSON.parse(JSON.stringify(logLine(report(verdict, trace))));
}

function metricsIn(line: Record<string, unknown>): readonly { readonly Name: string; readonly Unit: string }[] {
  const { CloudWatchMetrics = [] } = (line['_aws'] ?? {}) as { CloudWatchMetrics?: { Metrics: [] }[] };
  return CloudWatchMetrics.flatMap(({ Metrics }) => Metrics);
}

describe.each(ALL_VERDICTS)('the log line of $code', (verdict) => {
  const { metric, level } = EXPECTED[verdict.code];

  it.each(TRACES)('contains code, time and viewer: %j', (trace) => {
    expect(lineOf(verdict, trace)).toMatchObject({
      time: '2026-11-30T12:31:00.000Z',
      event: 'session',
      code: verdict.code,
      status: 418,
      duration_ms: 137,
      cold_start: true,
      request_id: '8f5c1e0a',
      ...(trace.viewer !== undefined && { viewer: VIEWER }),
      ...('reason' in verdict && { reason: verdict.reason }),
    });
  });

  it('has the expected level', () => {
    expect(lineOf(verdict)).toMatchObject({ level });
  });

  it.each(TRACES)('counts at most one metric, and the mint time: %j', (trace) => {
    const line = lineOf(verdict, trace);
    expect(metricsIn(line)).toEqual([
      ...(metric === undefined ? [] : [{ Name: metric, Unit: 'Count' }]),
      ...(trace.mintMs === undefined ? [] : [{ Name: 'MintTime', Unit: 'Milliseconds' }]),
    ]);
    expect(line).toMatchObject({
      ...(metric !== undefined && { [metric]: 1 }),
      ...(trace.mintMs !== undefined && { MintTime: trace.mintMs }),
    });
  });

  // Amazon CloudWatch User Guide, "Specification: Embedded metric format".
  it.each(TRACES)('is valid EMF if it counts a metric, and has no EMF otherwise: %j', (trace) => {
    const line = lineOf(verdict, trace);
    const Metrics = metricsIn(line);
    const directive = { Namespace: 'EphemeralKeyIssuer', Dimensions: [['function']], Metrics };
    expect(line['_aws']).toEqual(
      Metrics.length === 0 ? undefined : { Timestamp: NOW + 137, CloudWatchMetrics: [directive] },
    );
    // Each name must be a top-level member: a dimension as text, a metric as a number.
    expect(line['function']).toBe(Metrics.length === 0 ? undefined : 'issuer');
    for (const { Name } of Metrics) {
      expect(line[Name]).toEqual(expect.any(Number));
    }
  });

  it.each(TRACES)('contains no key, and no null, undefined or NaN: %j', (trace) => {
    const text = JSON.stringify(logLine(report(verdict, trace)));
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/:null|undefined|NaN/);
  });
});

it('there are at most ten metrics, which are free', () => {
  const verdicts = [...ALL_VERDICTS, { ...ISSUED, failedOpen: true }];
  const names = verdicts.flatMap((verdict) => metricsIn(lineOf(verdict, { mintMs: 1 })).map(({ Name }) => Name));
  expect(new Set(names).size).toBeLessThanOrEqual(10);
});

it('contains the limit that decided, how much remains, and whether the refusal was cached', () => {
  const verdict: Verdict = { code: 'rate_limited', limit: CLIENT_LIMIT, retryAt: NOW, cached: true };
  const line = { scope: 'client', limit: 10, window_s: 3_600, remaining: 3 };
  expect(lineOf(verdict)).toMatchObject({ ...line, cached: true });
  expect(lineOf(ISSUED)).toMatchObject(line);
});

it('a repeated request is marked and not counted, so no key counts twice', () => {
  const line = lineOf({ ...ISSUED, replayed: true });
  expect(line).toMatchObject({ code: 'issued', replayed: true, level: 'info' });
  expect(metricsIn(line)).toEqual([]);
});

it('a key issued without DynamoDB is a warning, and counts as KeysIssued and FailedOpen', () => {
  const line = lineOf({ ...ISSUED, limit: undefined, failedOpen: true });
  expect(line).toMatchObject({ code: 'issued', failed_open: true, level: 'warn', KeysIssued: 1, FailedOpen: 1 });
});

it('an answer that could not be stored is a warning', () => {
  const line = lineOf(ISSUED, { replayFailed: 'the table is unavailable' });
  expect(line).toMatchObject({ level: 'warn', replay_failed: 'the table is unavailable' });
});

it('contains who paused, and when', () => {
  const message = { ja: undefined, en: undefined };
  expect(lineOf({ code: 'paused', paused: true, since: 1_764_460_800, by: 'operator', message })).toMatchObject({
    paused_by: 'operator',
    paused_since: 1_764_460_800,
  });
});

it('reservations that could not be released are a warning, unless the level is error', () => {
  const trace: Trace = { viewer: VIEWER, releaseFailed: 'the table is unavailable' };
  expect(lineOf({ code: 'not_found' }, trace)).toMatchObject({ level: 'warn', release_failed: trace.releaseFailed });
  expect(lineOf({ code: 'internal', reason: 'x' }, trace)).toMatchObject({ level: 'error' });
});

it('is written as one line, without console, which would put text before it', () => {
  const write = vi.spyOn(stdout, 'write').mockReturnValue(true);
  const console = vi.spyOn(globalThis.console, 'log');
  onTestFinished(() => {
    write.mockRestore();
    console.mockRestore();
  });
  const of = report({ code: 'internal', reason: 'Error: x\n    at y\r\n    at z' }, {});
  log(of);
  expect(write).toHaveBeenCalledExactlyOnceWith(`${JSON.stringify(logLine(of))}\n`);
  expect(write.mock.calls.join('').trimEnd()).not.toMatch(/[\r\n]/);
  expect(console).not.toHaveBeenCalled();
});
