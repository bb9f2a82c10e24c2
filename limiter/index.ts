/**
 * Rate limits on DynamoDB, usable in any Lambda function. See docs/limiter.md.
 *
 * @module ephemeral-key-issuer/limiter
 */

export { rateLimitHeaders, retryAfterSeconds } from './headers.ts';
export { type Admission, createLimiter, type Limiter, type LimiterOptions, type Rejection } from './limiter.ts';
export type { LimitState, Scope } from './policy/decision.ts';
export {
  type BucketPolicy,
  type FixedPolicy,
  type Policy,
  parsePolicies,
  type SlidingPolicy,
} from './policy/policy.ts';
export { forget, readLimits } from './standing.ts';
export {
  type Change,
  type Item,
  put,
  read,
  readAll,
  StoreMisconfiguredError,
  StoreUnavailableError,
  storeError,
  type Table,
  type Write,
  write,
} from './store/store.ts';
