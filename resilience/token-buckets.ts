/**
 * Token buckets by key, such as an address, in bounded memory: what a server puts before accepting. It is a floor for
 * one process, not a quota: other processes do not know of it, and a restart forgets it.
 */

import { checkAboveZero } from './check-above-zero.ts';
import { type Clock, systemClock } from './clock.ts';
import { type TokenDecision, type TokenRate, takeToken } from './token-bucket.ts';

/** For connections that one client opens: 2 a second, 5 at once. */
export const HANDSHAKE_RATE: TokenRate = { perSecond: 2, burst: 5 };

export interface TokenBucketsOptions extends TokenRate {
  /**
   * How many buckets are kept. Beyond it the one that was taken from longest ago is forgotten, which is to say filled.
   * At {@link HANDSHAKE_RATE} a bucket is full after 2.5 s, so forgetting gives something away only when more than
   * `maxKeys` keys come within that time.
   * @default 10_000
   */
  readonly maxKeys?: number;
  readonly clock?: Clock;
}

export interface TokenBuckets {
  /** Takes one token of the key's bucket, if there is one. */
  readonly take: (key: string) => TokenDecision;
}

/** @throws RangeError if `maxKeys` is not above 0; where the rate is not, each `take` does */
export function createTokenBuckets(options: TokenBucketsOptions): TokenBuckets {
  const { maxKeys = 10_000, clock = systemClock } = options;
  checkAboveZero('maxKeys', maxKeys);
  /** A Map keeps the order of insertion: the first key is the one that was taken from longest ago. */
  const buckets = new Map<string, number>();

  return {
    take: (key) => {
      const decision = takeToken(buckets.get(key), options, clock.now());
      if (decision.allowed) {
        buckets.delete(key);
        buckets.set(key, decision.fullAt);
        const [oldest = key] = buckets.keys();
        if (buckets.size > maxKeys) {
          buckets.delete(oldest);
        }
      }
      return decision;
    },
  };
}
