/** The openai package with `retry`, over real sockets and with a fake clock: the number of requests, and each wait. */

import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCircuitBreaker, RetryError, type RetryOptions, retry } from '../../resilience/index.ts';
import { createFakeClock } from './fake-clock.ts';
import { type ScriptedServer, type Step, startScriptedServer } from './scripted-server.ts';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const MODELS = { status: 200, body: { object: 'list', data: [{ id: 'gpt-realtime-2.1' }] } };

let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
});

afterAll(() => server.close());

async function play(steps: readonly Step[], options: RetryOptions = {}) {
  server.play(...steps);
  const client = new OpenAI({ apiKey: 'test', baseURL: server.url, maxRetries: 0 });
  const clock = createFakeClock(NOW);
  let inFlight = 0;
  const work = retry(
    async ({ signal, idempotencyKey }) => {
      inFlight += 1;
      try {
        const { data } = await client.models.list({ signal, headers: { 'idempotency-key': idempotencyKey } });
        return data.map(({ id }) => id);
      } finally {
        inFlight -= 1;
      }
    },
    { clock, random: () => 0.5, ...options },
  );
  const outcome = await clock.run(work, () => inFlight > 0 && !server.hangs()).catch((error: unknown) => error);
  return {
    outcome,
    waits: clock.fired,
    requests: server.requests.length,
    keys: new Set(server.requests.map(({ headers }) => headers['idempotency-key'])),
    timers: clock.running(),
  };
}

describe('statuses', () => {
  it.each([429, 500, 502, 503, 504])('a %i is attempted five times, with full jitter in between', async (status) => {
    const { outcome, requests, waits } = await play([{ status }]);
    expect(outcome).toMatchObject({ reason: 'attempts_exhausted', attempts: 5 });
    expect([requests, waits]).toEqual([5, [250, 500, 1_000, 2_000]]);
  });

  it.each([400, 401, 403, 404, 408, 409, 422, 501])('a %i is attempted once', async (status) => {
    const { outcome, requests, waits } = await play([{ status }]);
    expect(outcome).toMatchObject({ reason: 'not_retryable', attempts: 1, retryAt: undefined });
    expect([requests, waits]).toEqual([1, []]);
  });

  it.each(['insufficient_quota', 'credit_balance_exhausted'])('a 429 for %s is attempted once', async (code) => {
    const { outcome, requests } = await play([{ status: 429, body: { error: { message: 'Pay', type: code, code } } }]);
    expect(outcome).toMatchObject({ reason: 'not_retryable' });
    expect(requests).toBe(1);
  });

  it('a 429 for slow_down is retried', async () => {
    const slowDown = { status: 429, body: { error: { message: 'Slow down', type: 'x', code: 'slow_down' } } };
    const { outcome, requests } = await play([slowDown, MODELS]);
    expect([outcome, requests]).toEqual([['gpt-realtime-2.1'], 2]);
  });

  it.each([
    [503, 'false', 1],
    [409, 'true', 2],
  ])('a %i with x-should-retry: %s makes %i requests', async (status, word, requests) => {
    expect((await play([{ status, headers: { 'x-should-retry': word } }, MODELS])).requests).toBe(requests);
  });

  it('every attempt carries the same idempotency key', async () => {
    const { keys, requests, timers } = await play([{ status: 503 }, { status: 500 }, MODELS]);
    expect([keys.size, requests, timers]).toEqual([1, 3, 0]);
  });
});

describe('the wait that the server asks for', () => {
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Monday, 30-Nov-26 12:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Mon Nov 30 12:00:09 2026' }, 9_000],
    [{ 'retry-after-ms': '70' }, 70],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6s' }, 6_000],
    [{ 'x-ratelimit-reset': String(NOW / 1000 + 3) }, 3_000],
    [{ 'retry-after': '0' }, 50],
    [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, 50],
    [{ 'retry-after': '-1' }, 0],
    [{ 'retry-after': '' }, 0],
    [{ 'retry-after': 'soon' }, 0],
  ])('%j gives a wait of %i ms plus jitter', async (headers, ms) => {
    const { outcome, waits, requests } = await play([
      { status: 429, headers: headers as Record<string, string> },
      MODELS,
    ]);
    expect(outcome).toEqual(['gpt-realtime-2.1']);
    expect([requests, waits]).toEqual([2, [ms + 250]]);
  });

  it('past the deadline gives up immediately, with retryAt', async () => {
    const { outcome, waits, requests } = await play([{ status: 429, headers: { 'retry-after': '120' } }]);
    expect(outcome).toMatchObject({ reason: 'deadline', attempts: 1, retryAt: NOW + 120_250 });
    expect([requests, waits]).toEqual([1, []]);
  });
});

describe('connection failures', () => {
  it.each<[Step]>([['reset_before_answer'], ['closed_before_answer'], ['cut_off_in_answer'], ['not_http']])(
    '%s: the next attempt succeeds',
    async (fault) => {
      const { outcome, waits, requests } = await play([fault, MODELS]);
      expect([outcome, requests, waits]).toEqual([['gpt-realtime-2.1'], 2, [250]]);
    },
  );

  it.each<[Step]>([['hang'], ['hang_in_answer']])('%s: the attempt ends at its timeout', async (fault) => {
    const { outcome, waits, requests } = await play([fault, MODELS], { attemptTimeoutMs: 4_000 });
    expect([outcome, requests, waits]).toEqual([['gpt-realtime-2.1'], 2, [4_000, 250]]);
  });

  it('a server that always hangs is abandoned at the deadline', async () => {
    const { outcome, waits, requests } = await play(['hang'], { attemptTimeoutMs: 4_000, deadlineMs: 9_000 });
    expect(outcome).toMatchObject({ reason: 'deadline', cause: { name: 'TimeoutError' } });
    expect([requests, waits]).toEqual([3, [4_000, 250, 4_000, 500, 250]]);
  });
});

describe('a circuit breaker around the attempts', () => {
  it('ends the attempts once it is open, with retryAt', async () => {
    const breaker = createCircuitBreaker({ failureThreshold: 3, clock: createFakeClock(NOW) });
    const { outcome, requests, waits } = await play([{ status: 503 }], { breaker });
    expect(outcome).toBeInstanceOf(RetryError);
    expect(outcome).toMatchObject({ reason: 'circuit_open', attempts: 3, retryAt: NOW + 10_000 });
    expect([requests, waits]).toEqual([3, [250, 500, 1_000]]);
  });

  it('counts an attempt that timed out', async () => {
    const breaker = createCircuitBreaker({ failureThreshold: 1, clock: createFakeClock(NOW) });
    await play(['hang'], { breaker, attempts: 1 });
    expect(breaker.state()).toEqual({ kind: 'open', retryAt: NOW + 10_000 });
  });
});
