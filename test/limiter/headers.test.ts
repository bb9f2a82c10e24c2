import { parseRateLimit } from 'ratelimit-header-parser';
import { parseList } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import { rateLimitHeaders, retryAfterSeconds } from '../../limiter/headers.ts';
import type { LimitState } from '../../limiter/policy/decision.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

describe('rate limit headers', () => {
  it('contain the same values in both formats: the reset in epoch seconds, and in seconds from now', () => {
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
  ])('for %d is %d s: never before that time, at least 1', (retryAt, seconds) => {
    expect(retryAfterSeconds(retryAt, NOON)).toBe(seconds);
  });
});

describe('third-party parsers', () => {
  const HOUR = 3_600_000;
  const states: readonly LimitState[] = [
    { scope: 'client', limit: 10, windowMs: HOUR, remaining: 3, resetAt: NOON + HOUR },
    { scope: 'client', limit: 1, windowMs: 1_000, remaining: 0, resetAt: NOON + 1_000 },
    { scope: 'global', limit: 1_000_000, windowMs: 31 * 24 * HOUR, remaining: 999_999, resetAt: NOON + 30 * 24 * HOUR },
    { scope: 'global', limit: 7, windowMs: 60_000, remaining: 7, resetAt: NOON },
  ];

  it.each(states)('read the X-RateLimit headers: $limit in $windowMs ms, $remaining left', (state) => {
    const all = Object.entries(rateLimitHeaders(state, NOON));
    const { limit, remaining, used, reset } =
      parseRateLimit(Object.fromEntries(all.filter(([name]) => name.startsWith('x-')))) ?? {};

    expect({ limit, remaining, used }).toEqual({
      limit: state.limit,
      remaining: state.remaining,
      used: state.limit - state.remaining,
    });
    expect(reset).toEqual(new Date(state.resetAt));
  });

  it.each(states)('read the structured fields: $limit in $windowMs ms, $remaining left', (state) => {
    const headers = rateLimitHeaders(state, NOON);

    expect(parseList(headers['ratelimit-policy'] ?? '')).toEqual([
      [
        state.scope,
        new Map([
          ['q', state.limit],
          ['w', state.windowMs / 1_000],
        ]),
      ],
    ]);
    expect(parseList(headers['ratelimit'] ?? '')).toEqual([
      [
        state.scope,
        new Map([
          ['r', state.remaining],
          ['t', (state.resetAt - NOON) / 1_000],
        ]),
      ],
    ]);
  });
});
