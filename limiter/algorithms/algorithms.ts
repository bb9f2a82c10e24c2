/**
 * The algorithms by their names in a policy. Each can reserve a call and release it, writes only under a condition that contains
 * the limit, and recognises its own writes when they are retried. ARCHITECTURE.md describes how to add an algorithm.
 */
import type { Decision, LimitState, Scope } from '../policy/decision.ts';
import type { Policy } from '../policy/policy.ts';
import type { Item, Table } from '../store/store.ts';
import { fixedWindowKey, fixedWindowState, reserveInFixedWindow } from './fixed-window.ts';
import { reserveInSlidingWindow, slidingWindowKey, slidingWindowState } from './sliding-window.ts';
import { reserveInTokenBucket, tokenBucketKey, tokenBucketState } from './token-bucket.ts';

/**
 * Reserves a call under one policy, or returns the time at which a call can be admitted.
 * @param subject whose calls are counted; ignored by a scope that counts `all`
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export function reserveUnder(
  table: Table,
  scope: Scope,
  policy: Policy,
  subject: string,
  now: number,
): Promise<Decision> {
  switch (policy.algorithm) {
    case 'fixed':
      return reserveInFixedWindow(table, scope, policy, subject, now);
    case 'sliding':
      return reserveInSlidingWindow(table, scope, policy, subject, now);
    case 'bucket':
      return reserveInTokenBucket(table, scope, policy, subject, now);
  }
}

/** The key of the item that counts `subject` under a policy at `now`, in epoch milliseconds. */
export function keyUnder(scope: Scope, policy: Policy, subject: string, now: number): string {
  switch (policy.algorithm) {
    case 'fixed':
      return fixedWindowKey(scope, policy, subject, now);
    case 'sliding':
      return slidingWindowKey(scope, policy, subject);
    case 'bucket':
      return tokenBucketKey(scope, policy, subject);
  }
}

/** The state of a policy, from that item, which may be empty. */
export function stateUnder(item: Item, scope: Scope, policy: Policy, now: number): LimitState {
  switch (policy.algorithm) {
    case 'fixed':
      return fixedWindowState(item, scope, policy, now);
    case 'sliding':
      return slidingWindowState(item, scope, policy, now);
    case 'bucket':
      return tokenBucketState(item, scope, policy, now);
  }
}
