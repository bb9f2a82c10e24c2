import { describe, expect, it } from 'vitest';
import { createRefusalCache } from '../../limiter/refusal-cache.ts';

const REFUSAL = {
  state: { scope: 'client', limit: 1, windowMs: 1_000, remaining: 0, resetAt: 1_000_000 },
  retryAt: 1_000_000,
};

describe('the refusal cache', () => {
  it('ignores entries from the future, after the clock was set back', () => {
    const cache = createRefusalCache();
    cache.remember('anna', REFUSAL, 500_000);

    expect(cache.find('anna', 499_999)).toBeUndefined();
  });

  it('holds a bounded number of refusals, and removes the oldest first', () => {
    const cache = createRefusalCache(3);
    for (const name of ['anna', 'ben', 'cleo', 'anna', 'dora']) {
      cache.remember(name, REFUSAL, 0);
    }

    expect(cache.size()).toBe(3);
    expect(cache.find('ben', 0)).toBeUndefined();
    expect(cache.find('anna', 0)).toEqual(REFUSAL);
  });

  it('removes an expired entry', () => {
    const cache = createRefusalCache();
    cache.remember('anna', REFUSAL, 0);
    cache.find('anna', 2_000);

    expect(cache.size()).toBe(0);
  });
});
