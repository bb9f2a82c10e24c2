import { describe, expect, it } from 'vitest';
import { rateLimitHeaders, retryAfterSeconds } from '../../limiter/headers.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('rate limit headers', () => {
  it('say the same in both families: epoch seconds there, seconds from now here', () => {
    const state = { scope: 'client', limit: 10, windowMs: 3_600_000, remaining: 3, resetAt: NOON + 3_600_000 };

    expect(rateLimitHeaders(state, NOON + 1_860_001)).toEqual({
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset': String(NOON / 1_000 + 3_600),
      'ratelimit-policy': '"client";q=10;w=3600',
      ratelimit: '"client";r=3;t=1740',
    });
  });
});

describe('Retry-After', () => {
  it.each([
    [NOON + 1_000, 1],
    [NOON + 1_001, 2],
    [NOON + 1, 1],
    [NOON, 1],
    [NOON - 5_000, 1],
    [NOON + 3_600_000, 3_600],
  ])('for %d is %d s: never before the moment itself, never less than one', (retryAt, seconds) => {
    expect(retryAfterSeconds(retryAt, NOON)).toBe(seconds);
  });
});
