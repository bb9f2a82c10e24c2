import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCircuitBreaker, createTokenBuckets, HANDSHAKE_RATE, takeToken } from '../../resilience/index.ts';
import { createFakeClock } from './fake-clock.ts';

const NOW = Date.UTC(2026, 10, 30);

describe('a token bucket', () => {
  it('admits five calls at once, then two per second', () => {
    const times = [0, 0, 0, 0, 0, 0, 499, 500, 500, 1_000];
    let fullAt: number | undefined;
    const decisions = times.map((ms) => {
      const decision = takeToken(fullAt, HANDSHAKE_RATE, NOW + ms);
      fullAt = decision.allowed ? decision.fullAt : fullAt;
      return decision.allowed || decision.retryAfterMs;
    });
    expect(decisions).toEqual([true, true, true, true, true, 500, 1, true, 500, true]);
  });

  it('never holds more than its burst', () => {
    const rate = { perSecond: 10, burst: 2 };
    let fullAt: number | undefined = NOW - 3_600_000;
    const allowed = [0, 0, 0].map(() => {
      const decision = takeToken(fullAt, rate, NOW);
      fullAt = decision.allowed ? decision.fullAt : fullAt;
      return decision.allowed;
    });
    expect(allowed).toEqual([true, true, false]);
  });

  it('a clock that is set back costs no more than one refill', () => {
    const decision = takeToken(NOW + 3_600_000, HANDSHAKE_RATE, NOW);
    expect(decision).toEqual({ allowed: false, retryAfterMs: 500 });
  });

  it('a caller who waits retryAfterMs gets a token', () => {
    const rates = fc.record({
      perSecond: fc.double({ min: 0.001, max: 1_000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(rates, fc.array(fc.nat(5_000), { maxLength: 50 }), (rate, gaps) => {
        let now = NOW;
        let fullAt: number | undefined;
        for (const gap of gaps) {
          now += gap;
          let decision = takeToken(fullAt, rate, now);
          if (!decision.allowed) {
            now += decision.retryAfterMs;
            decision = takeToken(fullAt, rate, now);
          }
          expect(decision.allowed).toBe(true);
          fullAt = decision.allowed ? decision.fullAt : fullAt;
        }
      }),
    );
  });

  it('admits in any period at most its burst plus the tokens added', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300), { minLength: 1, maxLength: 100 }), (gaps) => {
        let now = NOW;
        let fullAt: number | undefined;
        let admitted = 0;
        for (const gap of gaps) {
          now += gap;
          const decision = takeToken(fullAt, HANDSHAKE_RATE, now);
          fullAt = decision.allowed ? decision.fullAt : fullAt;
          admitted += decision.allowed ? 1 : 0;
        }
        expect(admitted).toBeLessThanOrEqual(5 + (2 * (now - NOW)) / 1_000);
      }),
    );
  });
});

describe('token buckets by key', () => {
  it('count each key separately', () => {
    const buckets = createTokenBuckets({ perSecond: 1, burst: 1, clock: createFakeClock(NOW) });
    expect(['a', 'a', 'b'].map((key) => buckets.take(key).allowed)).toEqual([true, false, true]);
  });

  it('remove the key whose last token was taken longest ago when there are too many', () => {
    const buckets = createTokenBuckets({ perSecond: 1, burst: 1, maxKeys: 2, clock: createFakeClock(NOW) });
    const allowed = ['a', 'b', 'c', 'b', 'c', 'a'].map((key) => buckets.take(key).allowed);
    expect(allowed).toEqual([true, true, true, false, false, true]);
  });

  it('keep a key that is used regularly, whatever other keys are used', async () => {
    const clock = createFakeClock(NOW);
    const buckets = createTokenBuckets({ perSecond: 1, burst: 2, maxKeys: 10, clock });
    const admitted: number[] = [];
    for (let second = 0; second < 5; second += 1) {
      admitted.push([1, 2, 3].filter(() => buckets.take('busy').allowed).length);
      for (let other = 0; other < 8; other += 1) {
        buckets.take(`${second} ${other}`);
      }
      await clock.advance(1_000);
    }
    expect(admitted).toEqual([2, 1, 1, 1, 1]);
  });

  it('a refusal causes no delay: a key that keeps retrying is admitted at the same time', async () => {
    const clock = createFakeClock(NOW);
    const buckets = createTokenBuckets({ perSecond: 1, burst: 1, clock });
    buckets.take('a');
    for (let ms = 0; ms < 1_000; ms += 10) {
      expect(buckets.take('a')).toEqual({ allowed: false, retryAfterMs: 1_000 - ms });
      await clock.advance(10);
    }
    expect(buckets.take('a').allowed).toBe(true);
  });
});

describe.each([0, -1, Number.NaN])('the value %d is rejected', (invalid) => {
  it.each([
    ['perSecond', () => takeToken(undefined, { perSecond: invalid, burst: 1 }, NOW)],
    ['burst', () => takeToken(undefined, { perSecond: 1, burst: invalid }, NOW)],
    ['maxKeys', () => createTokenBuckets({ ...HANDSHAKE_RATE, maxKeys: invalid })],
    ['failureThreshold', () => createCircuitBreaker({ failureThreshold: invalid })],
  ])('for %s', (option, use) => {
    expect(use).toThrow(new RangeError(`${option} must be above 0, not ${invalid}`));
  });
});
