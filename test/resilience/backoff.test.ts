import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffWindow, fullJitter } from '../../resilience/index.ts';

describe('full jitter', () => {
  it('doubles the window from half a second up to 20 seconds', () => {
    const windows = [0, 1, 2, 3, 4, 5, 6, 7, 2_000].map((retry) => backoffWindow(retry));
    expect(windows).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000, 20_000]);
  });

  it('waits anywhere in the window, down to 0', () => {
    expect([0, 0.25, 0.5, 0.999].map((random) => fullJitter(1, random))).toEqual([0, 250, 500, 999]);
  });

  it('can widen only the first window, for a failure that hits all clients at once', () => {
    const windows = [0, 1, 2].map((retry) => backoffWindow(retry, { firstWindowMs: 10_000 }));
    expect(windows).toEqual([10_000, 1_000, 2_000]);
  });

  it('limits a wide first window to the cap', () => {
    expect(backoffWindow(0, { firstWindowMs: 60_000 })).toBe(20_000);
  });

  it('is never negative, never NaN, never above the cap', () => {
    const ms = fc.double({ min: 0, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ms,
        ms,
        ms,
        (retry, random, base, cap, first) => {
          const wait = fullJitter(retry, random, { baseMs: base, capMs: cap, firstWindowMs: first });
          expect(wait >= 0 && wait <= cap).toBe(true);
        },
      ),
    );
  });
});
