/**
 * The algorithms by their names in a policy. Each takes a place and gives it back, changes what is stored only under a
 * condition that contains the limit, and recognises its own writes when they are repeated. ARCHITECTURE.md tells how to add one.
 */
import type { Decision, Scope } from './decision.ts';
import { reserveInFixedWindow } from './fixed-window.ts';
import type { Policy } from './policy.ts';
import { reserveInSlidingWindow } from './sliding-window.ts';
import type { Table } from './store.ts';
import { reserveInTokenBucket } from './token-bucket.ts';

/**
 * Takes a place under one policy, or says when one can be had.
 * @param subject who is counted; ignored by a scope that counts all together
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
