/**
 * A limit in response headers: the X-RateLimit family as GitHub and others send it, and the structured fields of
 * draft-ietf-httpapi-ratelimit-headers-10 (RFC 9651 Lists of Strings).
 */
import type { LimitState } from './policy/decision.ts';

/**
 * `X-RateLimit-Reset` is in epoch seconds; `RateLimit`'s `t` is in seconds from now.
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

/** Whole seconds, at least one: never earlier than the moment it speaks of. Both arguments in epoch milliseconds. */
export function retryAfterSeconds(retryAt: number, now: number): number {
  return Math.max(1, Math.ceil((retryAt - now) / 1_000));
}
