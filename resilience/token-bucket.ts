/**
 * A token bucket as a pure function. A bucket is one number, the time at which it is full again (the generic cell rate
 * algorithm): there is no count of tokens to drift, and no bucket is a full one.
 */

import { checkAboveZero } from './check-above-zero.ts';

export interface TokenRate {
  /** Tokens that flow in per second; above 0. */
  readonly perSecond: number;
  /** Tokens that a full bucket holds: how many calls may come at once; 1 or more. */
  readonly burst: number;
}

export type TokenDecision =
  | {
      readonly allowed: true;
      /** The bucket from now on: milliseconds since the Unix epoch. */
      readonly fullAt: number;
    }
  | {
      readonly allowed: false;
      /** Whole milliseconds, 1 or more, until one token is there. A refusal takes nothing and delays nobody. */
      readonly retryAfterMs: number;
    };

/**
 * Takes one token, if there is one.
 * @param fullAt the bucket, as the last allowed decision gave it; undefined for a full one
 * @param now milliseconds since the Unix epoch
 * @throws RangeError if a number of the rate is not above 0
 */
export function takeToken(fullAt: number | undefined, { perSecond, burst }: TokenRate, now: number): TokenDecision {
  checkAboveZero('perSecond', perSecond);
  checkAboveZero('burst', burst);
  const tokenMs = 1000 / perSecond;
  const bucketMs = burst * tokenMs;
  // No bucket is emptier than empty: else a clock that is set back by an hour would refuse for an hour.
  const refilling = Math.min(Math.max(fullAt ?? now, now), now + bucketMs);
  const retryAfterMs = Math.ceil(refilling + tokenMs - bucketMs - now);
  return retryAfterMs > 0 ? { allowed: false, retryAfterMs } : { allowed: true, fullAt: refilling + tokenMs };
}
