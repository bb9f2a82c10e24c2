/**
 * Rate limit headers: the X-RateLimit headers as GitHub and others send them, and the structured fields of
 * draft-ietf-httpapi-ratelimit-headers-10 (RFC 9651 Lists of Strings).
 */
import type { LimitState } from './policy/decision.ts';

/**
 * The response headers for a limit. `X-RateLimit-Reset` is in epoch seconds; the `t` of `RateLimit` is in seconds from now.
 * @param now epoch milliseconds
 */
export function rateLimitHeaders(state: LimitState, now: number): Record<string, string> {
  const { scope, limit, windowMs, remaining, resetAt } = state;
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(resetAt / 1_000)),
    'ratelimit-policy': `"${scope}";q=${limit};w=${windowMs / 1_000}`,
    ratelimit: `"${scope}";r=${remaining};t=${Math.max(0, Math.ceil((resetAt - now) / 1_000))}`,
  };
}

/**
 * The value of Retry-After: whole seconds, rounded up, at least 1.
 * @param retryAt epoch milliseconds
 * @param now epoch milliseconds
 */
export function retryAfterSeconds(retryAt: number, now: number): number {
  return Math.max(1, Math.ceil((retryAt - now) / 1_000));
}
