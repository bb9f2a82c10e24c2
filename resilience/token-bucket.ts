/**
 * A token bucket as a pure function. The state of a bucket is one number, the time at which it is full again (the generic cell rate
 * algorithm). There is no token count that could drift, and an undefined bucket is full.
 */

import { checkAboveZero } from './check-above-zero.ts';

export interface TokenRate {
  /** Tokens added per second; above 0. */
  readonly perSecond: number;
  /** Capacity of the bucket, which is the number of calls admitted at once; 1 or more. */
  readonly burst: number;
}

export type TokenDecision =
  | {
      readonly allowed: true;
      /** The new state of the bucket, in milliseconds since the Unix epoch. */
      readonly fullAt: number;
    }
  | {
      readonly allowed: false;
      /** Time until the next token, in whole milliseconds, at least 1. A refusal takes no token and delays no other call. */
      readonly retryAfterMs: number;
    };

/**
 * Takes one token, if available.
 * @param fullAt the state of the bucket, from the last allowed decision; undefined for a full bucket
 * @param now milliseconds since the Unix epoch
 * @throws RangeError if `perSecond` or `burst` is not above 0
 */
export function takeToken(fullAt: number | undefined, { perSecond, burst }: TokenRate, now: number): TokenDecision {
  checkAboveZero('perSecond', perSecond);
  checkAboveZero('burst', burst);
  const tokenMs = 1000 / perSecond;
  const bucketMs = burst * tokenMs;
  // A bucket is never less than empty. Otherwise a clock that is set back by an hour would cause refusals for an hour.
  const refilling = Math.min(Math.max(fullAt ?? now, now), now + bucketMs);
  const retryAfterMs = Math.ceil(refilling + tokenMs - bucketMs - now);
  return retryAfterMs > 0 ? { allowed: false, retryAfterMs } : { allowed: true, fullAt: refilling + tokenMs };
}
