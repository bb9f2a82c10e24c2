/**
 * The state of a token bucket, and calculations on it. All times are whole microseconds, so that the refill time of one token, such
 * as a seventh of an hour, is almost exact. It is rounded up, so that tokens never refill too fast.
 *
 *     one token refills in T = window / limit; the bucket is full again at fullAt
 *     missing tokens at a time t:  (fullAt - t) / T, at least 0
 */
import type { BucketPolicy } from '../policy/policy.ts';

/** The stored state. Times are in epoch microseconds. */
export interface Bucket {
  readonly fullAt: number;
  /** T of the policy under which the last token was taken. */
  readonly pace: number;
  /** The latest time of an admission, by any caller's clock. */
  readonly latest: number;
  /** Tokens taken before this time cannot be released, because the policy has changed since. 0 if it has never changed. */
  readonly since: number;
}

/** T in microseconds. */
export function paceOf({ windowMs, limit }: BucketPolicy): number {
  return Math.ceil((windowMs * 1_000) / limit);
}

/**
 * When the bucket is full under a policy that may have changed. The policy is applied as of the latest admission: the tokens missing
 * at that time, at most its burst, refill at its pace. If the policy has not changed, the result is `fullAt`.
 */
export function fullAtUnder(policy: BucketPolicy, { fullAt, pace, latest }: Bucket): number {
  const missing = Math.max(0, fullAt - latest);
  const newPace = paceOf(policy);
  return latest + Math.min(pace === newPace ? missing : scaledUp(missing, newPace, pace), policy.burst * newPace);
}

/** The latest `fullAt` at which a token is available. */
export function lastAdmitting(policy: BucketPolicy, nowUs: number): number {
  return nowUs + (policy.burst - 1) * paceOf(policy);
}

/** When an empty bucket has its next token, in epoch milliseconds. */
export function nextTokenAt(policy: BucketPolicy, fullAtUs: number): number {
  return Math.ceil((fullAtUs - (policy.burst - 1) * paceOf(policy)) / 1_000);
}

export function tokensLeft(policy: BucketPolicy, fullAtUs: number, nowUs: number): number {
  const tokens = Math.floor((nowUs + policy.burst * paceOf(policy) - fullAtUs) / paceOf(policy));
  return Math.min(policy.burst, Math.max(0, tokens));
}

/** `value * by / per`, rounded up. The product may exceed the largest exact number. */
function scaledUp(value: number, by: number, per: number): number {
  const product = BigInt(value) * BigInt(by);
  return Number((product + BigInt(per) - 1n) / BigInt(per));
}
