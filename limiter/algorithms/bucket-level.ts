/**
 * A token bucket as a value, and what it says under a policy. All arithmetic is in whole microseconds, so that the time of
 * one token, such as an hour's seventh, loses next to nothing; rounded up, never too fast.
 *
 *     a token takes T = window / limit to come back; the bucket is full again at fullAt
 *     missing tokens at a time t:  (fullAt - t) / T, none below 0
 */
import type { BucketPolicy } from '../policy/policy.ts';

/** What is stored: times in epoch microseconds. */
export interface Bucket {
  readonly fullAt: number;
  /** T of the policy under which it was last taken from. */
  readonly pace: number;
  /** The latest time of an admission, by whatever clock. */
  readonly latest: number;
  /** What was taken before can't be given back: the policy has changed since. 0 if it never did. */
  readonly since: number;
}

/** T in microseconds. */
export function paceOf({ windowMs, limit }: BucketPolicy): number {
  return Math.ceil((windowMs * 1_000) / limit);
}

/**
 * When the bucket is full under a policy, as though it had been in force since the latest admission: the tokens missing then
 * come back at its pace, and no more than its burst can be missing. Without a change of policy that is `fullAt` itself.
 */
export function fullAtUnder(policy: BucketPolicy, { fullAt, pace, latest }: Bucket): number {
  const missing = Math.max(0, fullAt - latest);
  const newPace = paceOf(policy);
  return latest + Math.min(pace === newPace ? missing : scaledUp(missing, newPace, pace), policy.burst * newPace);
}

/** The last `fullAt` at which there is a token. */
export function lastAdmitting(policy: BucketPolicy, nowUs: number): number {
  return nowUs + (policy.burst - 1) * paceOf(policy);
}

/** Epoch milliseconds of the next token in a bucket that has none. */
export function nextTokenAt(policy: BucketPolicy, fullAtUs: number): number {
  return Math.ceil((fullAtUs - (policy.burst - 1) * paceOf(policy)) / 1_000);
}

export function tokensLeft(policy: BucketPolicy, fullAtUs: number, nowUs: number): number {
  const tokens = Math.floor((nowUs + policy.burst * paceOf(policy) - fullAtUs) / paceOf(policy));
  return Math.min(policy.burst, Math.max(0, tokens));
}

/** `value * by / per`, rounded up. The product may be beyond what a number holds exactly. */
function scaledUp(value: number, by: number, per: number): number {
  const product = BigInt(value) * BigInt(by);
  return Number((product + BigInt(per) - 1n) / BigInt(per));
}
