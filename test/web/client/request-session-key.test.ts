import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';
import { BROWSER_TIMEOUT_MS } from '../../../contract/times.ts';
import { systemClock } from '../../../resilience/index.ts';
import { requestSessionKey } from '../../../web/client/index.ts';
import { createFakeClock } from '../../resilience/fake-clock.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const KEY = {
  value: 'ek_of_a_test',
  expires_at: NOW / 1000 + 60,
  session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
};

const STOPPED_CLOCK = { ...systemClock, now: () => NOW };

/** The outcome of one request with this response. */
function outcomeOf(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return requestSessionKey({
    attempts: 1,
    clock: STOPPED_CLOCK,
    fetch: () => Promise.resolve(new Response(text, { status, headers })),
  });
}

/** Never responds, but obeys its signal as the real fetch does. */
const silent: typeof fetch = (_url, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

/** Sends its headers, then half a key, then nothing more. */
const stalled: typeof fetch = (_url, init) => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"value":"ek_'));
      init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
    },
  });
  return Promise.resolve(new Response(body));
};

describe('the request', () => {
  const EMPTY_BODY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

  it('is one POST without a body, with the hash that the edge requires', async () => {
    const send = vi.fn<typeof fetch>(() => Promise.resolve(Response.json(KEY)));
    await requestSessionKey({ fetch: send });
    expect(send.mock.calls).toEqual([
      [
        '/session',
        {
          method: 'POST',
          headers: {
            'x-amz-content-sha256': EMPTY_BODY_HASH,
            'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
          },
          signal: expect.any(AbortSignal),
        },
      ],
    ]);
  });

  it('contains the given language and idempotency key', async () => {
    const send = vi.fn<typeof fetch>(() => Promise.resolve(Response.json(KEY)));
    await requestSessionKey({ url: 'https://keys.test/session', language: 'ja', idempotencyKey: 'one', fetch: send });
    expect(send.mock.calls[0]?.[0]).toBe('https://keys.test/session');
    expect(send.mock.calls[0]?.[1]?.headers).toMatchObject({ 'accept-language': 'ja', 'idempotency-key': 'one' });
  });
});

describe('a key', () => {
  it('has its expiry, its model and the calls that are left', async () => {
    const headers = { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': String(NOW / 1000 + 1740) };
    expect(await outcomeOf(200, KEY, headers)).toEqual({
      kind: 'key',
      value: 'ek_of_a_test',
      expiresAt: NOW + 60_000,
      model: 'gpt-realtime-2.1-mini',
      remaining: 9,
      resetAt: NOW + 1_740_000,
    });
  });

  it.each(['', '-1', '1.5', '1e3', 'none', '3, 3'])('has no number of calls left if the header is %j', async (text) => {
    const headers = { 'x-ratelimit-remaining': text, 'x-ratelimit-reset': text };
    expect(await outcomeOf(200, KEY, headers)).toMatchObject({ kind: 'key', remaining: undefined, resetAt: undefined });
  });

  it.each([
    ['five minutes fast', 'Wed, 31 Dec 2025 23:55:00 GMT', 360_000],
    ['an hour slow', 'Thu, 01 Jan 2026 01:00:00 GMT', 60_000 - 3_600_000],
    ['accurate, apart from the header’s rounding', 'Wed, 31 Dec 2025 23:59:59 GMT', 60_000],
    ['not comparable, because the date is invalid', '-1', 60_000],
  ])('expires by the server’s clock if the visitor’s is %s', async (_case, date, lifeMs) => {
    expect(await outcomeOf(200, KEY, { date })).toMatchObject({ kind: 'key', expiresAt: NOW + lifeMs });
  });

  it.each([
    ['a page of HTML', '<!doctype html><title>Log in to this network</title>'],
    ['nothing', ''],
    ['null', 'null'],
    ['half a response', '{"value":"ek_of_a_test","expires'],
    ['no value', { ...KEY, value: undefined }],
    ['an empty value', { ...KEY, value: '' }],
    ['a date as the expiry', { ...KEY, expires_at: '2026-01-01' }],
    ['no session', { ...KEY, session: null }],
  ])('is not found in a 200 with %s', async (_case, body) => {
    expect(await outcomeOf(200, body)).toEqual({ kind: 'unavailable', retryable: false });
  });
});

describe('a problem of the issuer', () => {
  const EXPECTED: Record<ProblemCode, { kind: 'refused' } | { kind: 'unavailable'; retryable: boolean }> = {
    rate_limited: { kind: 'refused' },
    budget_exhausted: { kind: 'refused' },
    paused: { kind: 'refused' },
    blocked: { kind: 'refused' },
    origin_not_allowed: { kind: 'refused' },
    viewer_unknown: { kind: 'refused' },
    not_found: { kind: 'refused' },
    method_not_allowed: { kind: 'refused' },
    body_not_allowed: { kind: 'refused' },
    idempotency_key_invalid: { kind: 'refused' },
    replay_in_progress: { kind: 'unavailable', retryable: true },
    upstream_refused: { kind: 'unavailable', retryable: false },
    upstream_unavailable: { kind: 'unavailable', retryable: true },
    limiter_unavailable: { kind: 'unavailable', retryable: true },
    misconfigured: { kind: 'unavailable', retryable: false },
    internal: { kind: 'unavailable', retryable: false },
  };
  const CODES = Object.keys(EXPECTED) as ProblemCode[];

  it.each(CODES)('%s keeps its message and its time', async (code) => {
    const body = { code, detail: 'A sentence for the visitor.', status: PROBLEMS[code].status };
    expect(await outcomeOf(body.status, body, { 'retry-after': '90' })).toEqual({
      ...EXPECTED[code],
      code,
      detail: 'A sentence for the visitor.',
      retryAt: NOW + 90_000,
    });
  });

  it.each([undefined, '', 7])('is final even if its message is %j', async (detail) => {
    const refusal = { kind: 'refused', code: 'rate_limited', detail: undefined, retryAt: undefined };
    expect(await outcomeOf(429, { code: 'rate_limited', detail })).toEqual(refusal);
  });

  it.each([
    ['0', NOW],
    ['1458', NOW + 1_458_000],
    [' 7 ', NOW + 7_000],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['NaN', undefined],
    ['5, 5', undefined],
    ['99999999999', undefined],
    ['Thu, 01 Jan 2026 00:10:00 GMT', undefined],
  ])('with a Retry-After of %j may be retried at %j', async (text, retryAt) => {
    expect(await outcomeOf(403, { code: 'paused', detail: 'Paused.' }, { 'retry-after': text })).toEqual({
      kind: 'refused',
      code: 'paused',
      detail: 'Paused.',
      retryAt,
    });
  });
});

describe('a response that is not the issuer’s', () => {
  const LAMBDA_CAP =
    '{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User","message":"Rate Exceeded."}';

  it.each([
    ['Lambda’s concurrency cap', 429, LAMBDA_CAP],
    ['a 429 without a body', 429, ''],
    ['a code that is not in the contract', 429, '{"code":"slow_down","detail":"x"}'],
    ['a code that every object has', 429, '{"code":"constructor","detail":"x"}'],
    ['a list', 429, '["rate_limited"]'],
  ])('is busy: %s', async (_case, status, body) => {
    expect(await outcomeOf(status, body)).toEqual({ kind: 'busy' });
  });

  it('is busy until its Retry-After', async () => {
    expect(await outcomeOf(429, LAMBDA_CAP, { 'retry-after': '2' })).toEqual({ kind: 'busy', retryAt: NOW + 2_000 });
  });

  it.each([
    ['an HTML 502 of the edge', 502, '<html><h1>502 ERROR</h1></html>', true],
    ['an empty 504', 504, '', true],
    ['a JSON 500 without a code', 500, '{"message":"Internal Server Error"}', true],
    ['a 403 of the edge, which a retry does not change', 403, '{"Message":"Forbidden"}', false],
    ['an XML 404 of the page’s bucket', 404, '<Error><Code>NoSuchKey</Code></Error>', false],
  ])('is unavailable: %s', async (_case, status, body, retryable) => {
    expect(await outcomeOf(status, body)).toEqual({ kind: 'unavailable', retryable });
  });
});

describe('no response', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is unavailable when the network is lost', async () => {
    const lost = () => Promise.reject(new TypeError('Failed to fetch'));
    expect(await requestSessionKey({ attempts: 1, fetch: lost })).toEqual({ kind: 'unavailable', retryable: true });
  });

  it.each([
    ['silence', silent],
    ['half a response', stalled],
  ])('is unavailable after the timeout, not before: %s', async (_case, fetch) => {
    const settled = vi.fn();
    const outcome = requestSessionKey({ attempts: 1, fetch }).finally(settled);
    await vi.advanceTimersByTimeAsync(BROWSER_TIMEOUT_MS - 1);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual({ kind: 'unavailable', retryable: true });
  });

  it.each([
    ['silence', silent],
    ['half a response', stalled],
  ])('rejects with the caller’s reason if the caller aborts: %s', async (_case, fetch) => {
    const caller = new AbortController();
    const outcome = requestSessionKey({ fetch, signal: caller.signal });
    const ended = expect(outcome).rejects.toBe('hung up');
    await vi.advanceTimersByTimeAsync(10);
    caller.abort('hung up');
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends nothing if the caller has already aborted', async () => {
    const send = vi.fn<typeof fetch>(silent);
    await expect(requestSessionKey({ fetch: send, signal: AbortSignal.abort('hung up') })).rejects.toBe('hung up');
    expect(send).not.toHaveBeenCalled();
  });

  it('leaves no timer behind after a response', async () => {
    await outcomeOf(200, KEY);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('retries', () => {
  const BUSY = () => new Response('{"Reason":"ConcurrentInvocationLimitExceeded"}', { status: 429 });
  const FAILING = () =>
    Response.json({ code: 'upstream_unavailable' }, { status: 503, headers: { 'retry-after': '3' } });
  const LIMITED = () => Response.json({ code: 'rate_limited' }, { status: 429, headers: { 'retry-after': '3' } });

  /** Responds with these answers in order, and repeats the last one. */
  async function ask(...answers: (() => Response)[]) {
    const clock = createFakeClock(NOW);
    const sent: { at: number; key: string | null }[] = [];
    const fetch = (_url: unknown, init?: RequestInit) => {
      sent.push({ at: clock.now() - NOW, key: new Headers(init?.headers).get('idempotency-key') });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return answer === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(answer());
    };
    const outcome = await clock.run(requestSessionKey({ fetch, clock, random: () => 0.5 }));
    expect(clock.running()).toBe(0);
    return { outcome, times: sent.map(({ at }) => at), keys: new Set(sent.map(({ key }) => key)).size };
  }

  it('busy: four requests, in windows of 1, 2 and 4 s, with one idempotency key', async () => {
    expect(await ask(BUSY)).toEqual({ outcome: { kind: 'busy' }, times: [0, 500, 1_500, 3_500], keys: 1 });
  });

  it('busy, then a key: two requests', async () => {
    expect(await ask(BUSY, () => Response.json(KEY))).toMatchObject({ outcome: { kind: 'key' }, times: [0, 500] });
  });

  it('network lost: four requests', async () => {
    expect(await ask()).toMatchObject({ outcome: { kind: 'unavailable' }, times: [0, 500, 1_500, 3_500] });
  });

  it('Retry-After is obeyed, and jitter is added', async () => {
    expect((await ask(FAILING)).times).toEqual([0, 3_500, 7_500, 12_500]);
  });

  it('a refusal is not retried, even if it follows a retry', async () => {
    expect(await ask(LIMITED)).toMatchObject({ outcome: { kind: 'refused' }, times: [0] });
    expect(await ask(BUSY, LIMITED)).toMatchObject({ outcome: { kind: 'refused' }, times: [0, 500] });
  });

  it.each(['upstream_refused', 'misconfigured', 'internal'])('%s is not retried', async (code) => {
    const answer = () => Response.json({ code }, { status: 500 });
    expect(await ask(answer)).toMatchObject({ outcome: { kind: 'unavailable', code }, times: [0] });
  });

  it('a wait beyond 45 s is returned to the caller, with its time', async () => {
    const answer = () => new Response('', { status: 503, headers: { 'retry-after': '60' } });
    expect(await ask(answer)).toMatchObject({ outcome: { kind: 'unavailable', retryAt: NOW + 60_000 }, times: [0] });
  });

  it('silence: two requests, the second of which ends at 45 s', async () => {
    const clock = createFakeClock(NOW);
    const send = vi.fn<typeof fetch>(silent);
    const outcome = await clock.run(requestSessionKey({ fetch: send, clock, random: () => 0.5 }));
    expect(outcome).toEqual({ kind: 'unavailable', retryable: true });
    expect(send).toHaveBeenCalledTimes(2);
    expect(clock.now() - NOW).toBe(45_000);
  });

  it('an abort ends the wait immediately', async () => {
    const clock = createFakeClock(NOW);
    const caller = new AbortController();
    const fetch = () => Promise.resolve(BUSY());
    const outcome = requestSessionKey({ fetch, clock, random: () => 0.5, signal: caller.signal });
    const ended = expect(outcome).rejects.toBe('hung up');
    await clock.advance(100);
    caller.abort('hung up');
    await ended;
    expect(clock.running()).toBe(0);
  });
});
