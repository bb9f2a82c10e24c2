import { describe, expect, it } from 'vitest';
import { CircuitOpenError, type CircuitState, createCircuitBreaker, HttpError } from '../../resilience/index.ts';
import { createFakeClock } from './fake-clock.ts';

const NOW = 1_000_000;
const COOLDOWN_MS = 10_000;
const PROBE_MS = 20_000;

function http(status: number) {
  return () => Promise.reject(new HttpError(status, new Headers(), undefined));
}

function aborted() {
  return Promise.reject(new DOMException('left', 'AbortError'));
}

function deferred() {
  let settle: { resolve: (value: string) => void; reject: (reason: unknown) => void } | undefined;
  const promise = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    promise,
    resolve: () => settle?.resolve('late'),
    reject: () => settle?.reject(new HttpError(503, new Headers(), '')),
  };
}

function setUp() {
  const clock = createFakeClock(NOW);
  const changes: string[] = [];
  const onChange = (state: CircuitState, previous: CircuitState) => changes.push(`${previous.kind} > ${state.kind}`);
  const breaker = createCircuitBreaker({
    failureThreshold: 3,
    cooldownMs: COOLDOWN_MS,
    probeTimeoutMs: PROBE_MS,
    onChange,
    clock,
  });
  const call = (run: () => Promise<unknown>) => breaker.call(run).catch((error: unknown) => error);
  const open = async () => {
    for (let failures = 0; failures < 3; failures += 1) {
      await call(http(503));
    }
  };
  return { clock, changes, breaker, call, open };
}

describe('closed', () => {
  it('lets calls pass, and passes on what they return and throw', async () => {
    const { breaker, call } = setUp();
    expect(await call(() => Promise.resolve('answer'))).toBe('answer');
    expect(await call(http(503))).toBeInstanceOf(HttpError);
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });

  it('opens after so many failures in a row', async () => {
    const { breaker, changes, open } = setUp();
    await open();
    expect(breaker.state()).toEqual({ kind: 'open', retryAt: NOW + COOLDOWN_MS });
    expect(changes).toEqual(['closed > open']);
  });

  it('begins to count anew after a success', async () => {
    const { breaker, call } = setUp();
    await call(http(503));
    await call(http(503));
    await call(() => Promise.resolve('answer'));
    await call(http(503));
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });

  it.each([400, 401, 403, 404, 409, 422])('a %i proves the other side alive', async (status) => {
    const { breaker, call } = setUp();
    await call(http(503));
    await call(http(status));
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 0 });
  });

  it.each([408, 429, 500, 501, 503])('a %i is a failure', async (status) => {
    const { breaker, call } = setUp();
    await call(http(status));
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });

  it('a Response that says 503 is a failure too', async () => {
    const { breaker, call } = setUp();
    expect(await call(() => Promise.resolve(new Response('', { status: 503 })))).toBeInstanceOf(HttpError);
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });

  it('an abort or a fault of this program proves nothing', async () => {
    const { breaker, call } = setUp();
    await call(http(503));
    await call(aborted);
    await call(() => Promise.reject(new RangeError('bug')));
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });
});

describe('open', () => {
  it('refuses without calling, and says until when', async () => {
    const { breaker, clock, call, open } = setUp();
    await open();
    await clock.advance(COOLDOWN_MS - 1);
    let called = false;
    const refusal = await call(() => {
      called = true;
      return Promise.resolve();
    });
    expect(refusal).toBeInstanceOf(CircuitOpenError);
    expect(refusal).toMatchObject({ retryAt: NOW + COOLDOWN_MS });
    expect(called).toBe(false);
    expect(breaker.state().kind).toBe('open');
  });

  it('sets no timer', async () => {
    const { clock, open } = setUp();
    await open();
    expect(clock.running()).toBe(0);
  });

  it('ignores the end of calls that began before', async () => {
    const { breaker, changes, call, open } = setUp();
    const [success, failure] = [deferred(), deferred()];
    const calls = [call(() => success.promise), call(() => failure.promise)];
    await open();
    success.resolve();
    failure.reject();
    await Promise.all(calls);
    expect(breaker.state()).toEqual({ kind: 'open', retryAt: NOW + COOLDOWN_MS });
    expect(changes).toEqual(['closed > open']);
  });
});

describe('half-open', () => {
  it('lets exactly one of 100 concurrent calls pass and refuses the others at once', async () => {
    const { clock, call, open } = setUp();
    await open();
    await clock.advance(COOLDOWN_MS);
    const probe = deferred();
    let inFlight = 0;
    const calls = Array.from({ length: 100 }, () =>
      call(() => {
        inFlight += 1;
        return probe.promise;
      }),
    );
    const [first, ...others] = calls;

    const refusals = await Promise.all(others);

    expect(inFlight).toBe(1);
    expect(refusals.every((error) => error instanceof CircuitOpenError)).toBe(true);
    expect(refusals[0]).toMatchObject({ retryAt: NOW + COOLDOWN_MS + PROBE_MS });
    probe.resolve();
    expect(await first).toBe('late');
  });

  it.each([
    ['an answer', () => Promise.resolve('answer')],
    ['a 404', http(404)],
  ])('%s closes it', async (_what, probe) => {
    const { breaker, clock, changes, call, open } = setUp();
    await open();
    await clock.advance(COOLDOWN_MS);
    await call(probe);
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 0 });
    expect(changes).toEqual(['closed > open', 'open > half-open', 'half-open > closed']);
  });

  it('a failure opens it for another cooldown', async () => {
    const { breaker, clock, call, open } = setUp();
    await open();
    await clock.advance(COOLDOWN_MS);
    await call(http(503));
    expect(breaker.state()).toEqual({ kind: 'open', retryAt: NOW + 2 * COOLDOWN_MS });
  });

  it('a probe that was called off leaves its place to the next call', async () => {
    const { breaker, clock, call, open } = setUp();
    await open();
    await clock.advance(COOLDOWN_MS);
    await call(aborted);
    expect(breaker.state()).toEqual({ kind: 'open', retryAt: NOW + COOLDOWN_MS });
    expect(await call(() => Promise.resolve('answer'))).toBe('answer');
  });

  it('a probe that never returns gives up its place after a time, and is not heard later', async () => {
    const { breaker, clock, call, open } = setUp();
    await open();
    await clock.advance(COOLDOWN_MS);
    const lost = deferred();
    const first = call(() => lost.promise);
    await clock.advance(PROBE_MS - 1);
    expect(await call(() => Promise.resolve('answer'))).toBeInstanceOf(CircuitOpenError);
    await clock.advance(1);
    const second = deferred();
    const next = call(() => second.promise);
    lost.reject();
    await first;
    expect(breaker.state()).toEqual({ kind: 'half-open', probeUntil: NOW + COOLDOWN_MS + 2 * PROBE_MS });
    second.resolve();
    await next;
    expect(breaker.state().kind).toBe('closed');
  });

  it('stale failures of before do not open it again once it has closed', async () => {
    const { breaker, clock, call, open } = setUp();
    const stale = Array.from({ length: 10 }, deferred);
    const calls = stale.map(({ promise }) => call(() => promise));
    await open();
    await clock.advance(COOLDOWN_MS);
    await call(() => Promise.resolve('answer'));
    for (const { reject } of stale) {
      reject();
    }
    await Promise.all(calls);
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 0 });
  });
});

describe('an outage of two minutes under steady load', () => {
  it('lets the probes alone through, and recovers within one cooldown', async () => {
    const { breaker, clock, call } = setUp();
    const outageEnds = NOW + 120_000;
    const reached: number[] = [];
    let recoveredAt = 0;
    while (recoveredAt === 0) {
      const result = await call(() => {
        reached.push(clock.now() - NOW);
        return clock.now() < outageEnds ? http(503)() : Promise.resolve('answer');
      });
      recoveredAt = result === 'answer' ? clock.now() : 0;
      await clock.advance(100);
    }
    const probes = Array.from({ length: 12 }, (_, index) => 200 + (index + 1) * COOLDOWN_MS);
    expect(reached).toEqual([0, 100, 200, ...probes]);
    expect(recoveredAt - outageEnds).toBeLessThanOrEqual(COOLDOWN_MS);
    expect(breaker.state().kind).toBe('closed');
  });
});
