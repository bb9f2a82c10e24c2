/**
 * Token buckets by key, such as an address, in bounded memory, for example to limit connections before a server accepts them. They
 * protect one process and are not a quota: other processes do not share them, and a restart resets them.
 */

import { checkAboveZero } from './check-above-zero.ts';
import { type Clock, systemClock } from './clock.ts';
import { type TokenDecision, type TokenRate, takeToken } from './token-bucket.ts';

/** A rate for new connections of one client: 2 per second, 5 at once. */
export const HANDSHAKE_RATE: TokenRate = { perSecond: 2, burst: 5 };

export interface TokenBucketsOptions extends TokenRate {
  /**
   * Maximum number of buckets. Beyond it, the bucket whose last token was taken longest ago is removed, which refills it. At
   * {@link HANDSHAKE_RATE} a bucket is full after 2.5 s anyway, so a removal matters only if more than `maxKeys` keys are used within
   * that time.
   * @default 10_000
   */
  readonly maxKeys?: number;
  readonly clock?: Clock;
}

export interface TokenBuckets {
  /** Takes one token from the key's bucket, if available. */
  readonly take: (key: string) => TokenDecision;
}

/** @throws RangeError if `maxKeys` is not above 0. If the rate is not above 0, each `take` throws */
export function createTokenBuckets(options: TokenBucketsOptions): TokenBuckets {
  const { maxKeys = 10_000, clock = systemClock } = options;
  checkAboveZero('maxKeys', maxKeys);
  /** A Map keeps the order of insertion, so the first key is the one whose last token was taken longest ago. */
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
