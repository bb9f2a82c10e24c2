import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { HttpError, RetryError, type RetryOptions, retry } from '../../resilience/index.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const NOW = Date.UTC(2026, 10, 30);

function failure(status: number, headers: Record<string, string> = {}): HttpError {
  return new HttpError(status, new Headers(headers), undefined);
}

/** Fails with each of these errors in turn, then succeeds. */
function failingWith(...errors: readonly unknown[]) {
  const left = [...errors];
  return () => (left.length > 0 ? Promise.reject(left.shift()) : Promise.resolve('answer'));
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

async function givenUp(work: Promise<unknown>): Promise<RetryError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof RetryError)) {
    throw new Error('It did not give up', { cause: error });
  }
  return error;
}

/** Each wait is half of its window. */
function settings(clock: FakeClock, more: RetryOptions = {}): RetryOptions {
  return { clock, random: () => 0.5, ...more };
}

describe('attempts', () => {
  it('need no wait if the first succeeds', async () => {
    const clock = createFakeClock(NOW);
    expect(await clock.run(retry(() => 'answer', settings(clock)))).toBe('answer');
    expect(clock.fired).toEqual([]);
  });

  it('are numbered and have the same idempotency key, which differs between operations', async () => {
    const seen: [number, string][] = [];
    for (let operation = 0; operation < 2; operation += 1) {
      const clock = createFakeClock(NOW);
      const call = failingWith(failure(503), failure(503));
      const work = retry(({ attempt, idempotencyKey }) => {
        seen.push([attempt, idempotencyKey]);
        return call();
      }, settings(clock));
      await clock.run(work);
    }
    const [first = '', second = ''] = [seen[0]?.[1], seen[3]?.[1]];
    expect(seen).toEqual([1, 2, 3].map((n) => [n, first]).concat([1, 2, 3].map((n) => [n, second])));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
  });

  it('use the given idempotency key', async () => {
    const clock = createFakeClock(NOW);
    const work = retry(({ idempotencyKey }) => idempotencyKey, settings(clock, { idempotencyKey: 'order-7' }));
    expect(await work).toBe('order-7');
  });

  it('are at most five, with the last error as the cause', async () => {
    const clock = createFakeClock(NOW);
    const errors = [500, 502, 503, 504, 500].map((status) => failure(status));
    const error = await givenUp(clock.run(retry(failingWith(...errors), settings(clock))));
    expect(clock.fired).toEqual([250, 500, 1_000, 2_000]);
    expect(error).toMatchObject({ reason: 'attempts_exhausted', attempts: 5, retryAt: NOW + 3_750 + 4_000 });
    expect(error.cause).toBe(errors.at(-1));
  });

  it('end at a failure that is not retryable', async () => {
    const clock = createFakeClock(NOW);
    const bug = new RangeError('a fault of ours');
    const error = await givenUp(clock.run(retry(failingWith(bug), settings(clock))));
    expect(error).toMatchObject({ reason: 'not_retryable', attempts: 1, retryAt: undefined, cause: bug });
  });

  it('end with retryAt at a failure that is not retryable, if the server sent a time', async () => {
    const clock = createFakeClock(NOW);
    const error = await givenUp(clock.run(retry(failingWith(failure(403, { 'retry-after': '90' })), settings(clock))));
    expect(error).toMatchObject({ reason: 'not_retryable', retryAt: NOW + 90_000 });
  });

  it('treat a Response with an error status as an error', async () => {
    const clock = createFakeClock(NOW);
    const error = await givenUp(
      clock.run(retry(() => Response.json({ code: 'gone' }, { status: 410 }), settings(clock))),
    );
    expect(error.cause).toMatchObject({ name: 'HttpError', status: 410, body: { code: 'gone' } });
  });

  it('end with an error message that does not contain the text of the cause', async () => {
    const clock = createFakeClock(NOW);
    const error = await givenUp(clock.run(retry(failingWith(new Error('sk-secret')), settings(clock))));
    expect(error.message).toBe('Gave up: not_retryable (attempts made: 1)');
  });
});

describe('waits', () => {
  it('are as long as the server asks, plus jitter', async () => {
    const clock = createFakeClock(NOW);
    const call = failingWith(failure(429, { 'retry-after': '2' }), failure(503, { 'retry-after-ms': '70' }));
    await clock.run(retry(call, settings(clock)));
    expect(clock.fired).toEqual([2_000 + 250, 70 + 500]);
  });

  it('are never shorter than the server asks', async () => {
    const clock = createFakeClock(NOW);
    await clock.run(retry(failingWith(failure(429, { 'retry-after': '2' })), settings(clock, { random: () => 0 })));
    expect(clock.fired).toEqual([2_000]);
  });

  it('use full jitter after an empty Retry-After', async () => {
    const clock = createFakeClock(NOW);
    await clock.run(retry(failingWith(failure(429, { 'retry-after': '' })), settings(clock)));
    expect(clock.fired).toEqual([250]);
  });

  it('can have a wider first window', async () => {
    const clock = createFakeClock(NOW);
    const call = failingWith(failure(503), failure(503));
    await clock.run(retry(call, settings(clock, { backoff: { firstWindowMs: 10_000 } })));
    expect(clock.fired).toEqual([5_000, 500]);
  });
});

describe('the deadline', () => {
  it.each([0, -1])('of %d ms has already passed: the function is not called', async (deadlineMs) => {
    const call = vi.fn(() => 'called');
    const error = await givenUp(retry(call, settings(createFakeClock(NOW), { deadlineMs })));
    expect(error).toMatchObject({ reason: 'deadline', attempts: 0, retryAt: undefined });
    expect(call).not.toHaveBeenCalled();
  });

  it('ends the operation immediately if the next wait would pass it, with retryAt', async () => {
    const clock = createFakeClock(NOW);
    const error = await givenUp(clock.run(retry(failingWith(failure(429, { 'retry-after': '60' })), settings(clock))));
    expect(error).toMatchObject({ reason: 'deadline', attempts: 1, retryAt: NOW + 60_250 });
    expect(clock.fired).toEqual([]);
  });

  it('is 60 s for all attempts, with 20 s for each', async () => {
    const clock = createFakeClock(NOW);
    const error = await givenUp(clock.run(retry(never, settings(clock))));
    expect(clock.fired).toEqual([20_000, 250, 20_000, 500, 60_000 - 40_750]);
    expect(error).toMatchObject({ reason: 'deadline', attempts: 3, cause: { name: 'TimeoutError' } });
  });

  it('is at most the longest delay of a timer', async () => {
    const clock = createFakeClock(NOW);
    const call = failingWith(failure(429, { 'retry-after': '9'.repeat(20) }));
    const error = await givenUp(clock.run(retry(call, settings(clock, { deadlineMs: Number.POSITIVE_INFINITY }))));
    expect(error).toMatchObject({ reason: 'deadline', attempts: 1 });
  });
});

describe('the timeout of an attempt', () => {
  it('ends an attempt that ignores its signal', async () => {
    const clock = createFakeClock(NOW);
    const error = await givenUp(clock.run(retry(never, settings(clock, { attempts: 1, attemptTimeoutMs: 4_000 }))));
    expect(clock.fired).toEqual([4_000]);
    expect(error).toMatchObject({ reason: 'attempts_exhausted', cause: { name: 'TimeoutError' } });
  });

  it('aborts the signal of that attempt only', async () => {
    const clock = createFakeClock(NOW);
    const signals: AbortSignal[] = [];
    const work = retry(({ attempt, signal }) => {
      signals.push(signal);
      return attempt === 1 ? never() : 'answer';
    }, settings(clock));
    await clock.run(work);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('an abort', () => {
  it('before the start prevents the call', async () => {
    const clock = createFakeClock(NOW);
    let called = false;
    const work = retry(
      () => {
        called = true;
      },
      settings(clock, { signal: AbortSignal.abort('left') }),
    );
    expect(await givenUp(work)).toMatchObject({ reason: 'aborted', attempts: 0, cause: 'left' });
    expect(called).toBe(false);
  });

  it.each([
    ['an attempt', never],
    ['a wait', () => Promise.reject(failure(429, { 'retry-after': '30' }))],
  ])('ends %s immediately and leaves no timer and no listener', async (_where, call) => {
    const clock = createFakeClock(NOW);
    const controller = new AbortController();
    const work = givenUp(retry(call, settings(clock, { signal: controller.signal })));
    await setImmediate();
    expect([clock.running(), getEventListeners(controller.signal, 'abort').length]).toEqual([1, 1]);

    controller.abort('left');

    expect(await work).toMatchObject({ reason: 'aborted', attempts: 1, retryAt: undefined, cause: 'left' });
    expect([clock.now(), clock.running(), getEventListeners(controller.signal, 'abort').length]).toEqual([NOW, 0, 0]);
  });

  it('reaches the signal of the running attempt', async () => {
    const clock = createFakeClock(NOW);
    const controller = new AbortController();
    let inner: AbortSignal | undefined;
    const work = retry(
      ({ signal }) => {
        inner = signal;
        return never();
      },
      settings(clock, { signal: controller.signal }),
    );
    controller.abort('left');
    await givenUp(work);
    expect(inner?.reason).toBe('left');
  });

  it.each([
    ['a success', failingWith(failure(503))],
    ['giving up', failingWith(failure(404))],
  ])('leaves no timer and no listener after %s', async (_end, call) => {
    const clock = createFakeClock(NOW);
    const { signal } = new AbortController();
    await clock.run(retry(call, settings(clock, { signal })).catch(() => undefined));
    expect([clock.running(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });
});

describe('any sequence of responses, waits and hanging attempts', () => {
  const step = fc.oneof(
    fc.constant('hang' as const),
    fc.record({
      tookMs: fc.nat(30_000),
      retryAfter: fc.option(fc.stringMatching(/^[0-9-]{0,3}$/), { nil: undefined }),
    }),
  );
  const options = fc.record({
    attempts: fc.integer({ min: 1, max: 8 }),
    attemptTimeoutMs: fc.integer({ min: 1, max: 30_000 }),
    deadlineMs: fc.integer({ min: 1, max: 90_000 }),
  });

  it('never passes the deadline, and no wait is negative', async () => {
    const property = fc.asyncProperty(
      fc.array(step),
      options,
      fc.double({ min: 0, max: 0.999 }),
      async (steps, limits, random) => {
        const clock = createFakeClock(NOW);
        const call = async ({ attempt }: { attempt: number }) => {
          const next = steps[attempt - 1] ?? 'hang';
          if (next === 'hang') {
            return never();
          }
          await new Promise<void>((resolve) => clock.after(next.tookMs, resolve));
          throw failure(503, next.retryAfter === undefined ? {} : { 'retry-after': next.retryAfter });
        };
        await givenUp(clock.run(retry(call, { ...limits, clock, random: () => random })));
        expect(clock.now() - NOW).toBeLessThanOrEqual(limits.deadlineMs);
        expect(clock.fired.every((ms) => ms >= 0)).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });
});
