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
  it('runs calls, and returns or throws what they return or throw', async () => {
    const { breaker, call } = setUp();
    expect(await call(() => Promise.resolve('answer'))).toBe('answer');
    expect(await call(http(503))).toBeInstanceOf(HttpError);
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });

  it('opens after the given number of consecutive failures', async () => {
    const { breaker, changes, open } = setUp();
    await open();
    expect(breaker.state()).toEqual({ kind: 'open', retryAt: NOW + COOLDOWN_MS });
    expect(changes).toEqual(['closed > open']);
  });

  it('resets the failure count after a success', async () => {
    const { breaker, call } = setUp();
    await call(http(503));
    await call(http(503));
    await call(() => Promise.resolve('answer'));
    await call(http(503));
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });

  it.each([400, 401, 403, 404, 409, 422])('a %i shows that the other system is alive', async (status) => {
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

  it('a Response with status 503 is a failure too', async () => {
    const { breaker, call } = setUp();
    expect(await call(() => Promise.resolve(new Response('', { status: 503 })))).toBeInstanceOf(HttpError);
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });

  it('an abort or a bug in this program does not change the failure count', async () => {
    const { breaker, call } = setUp();
    await call(http(503));
    await call(aborted);
    await call(() => Promise.reject(new RangeError('bug')));
    expect(breaker.state()).toEqual({ kind: 'closed', failures: 1 });
  });
});

describe('open', () => {
  it('refuses without running the call, with the time of the next probe', async () => {
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

  it('ignores the outcome of calls that started before it opened', async () => {
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
  it('runs exactly one of 100 concurrent calls and refuses the others immediately', async () => {
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
    ['a success', () => Promise.resolve('answer')],
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

  it('after an aborted probe the next call is the probe', async () => {
    const { breaker, clock, call, open } = setUp();
    await open();
    await clock.advance(COOLDOWN_MS);
    await call(aborted);
    expect(breaker.state()).toEqual({ kind: 'open', retryAt: NOW + COOLDOWN_MS });
    expect(await call(() => Promise.resolve('answer'))).toBe('answer');
  });

  it('after the probe timeout the next call is the probe, and the outcome of the first is ignored', async () => {
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

  it('failures of calls from before do not open it again after it has closed', async () => {
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
  it('runs only the probes, and recovers within one cooldown', async () => {
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
