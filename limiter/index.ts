/** Rate limits on DynamoDB. Stands alone: docs/limiter.md shows it in somebody else's Lambda. */

export { rateLimitHeaders, retryAfterSeconds } from './headers.ts';
export { type Admission, createLimiter, type Limiter, type LimiterOptions, type Rejection } from './limiter.ts';
export type { LimitState, Scope } from './policy/decision.ts';
export { type Policy, parsePolicies } from './policy/policy.ts';
export { forget, readLimits } from './standing.ts';
export {
  type Item,
  put,
  read,
  readAll,
  StoreMisconfiguredError,
  StoreUnavailableError,
  storeError,
  type Table,
  write,
} from './store/store.ts';
