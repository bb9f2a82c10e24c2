/**
 * Retries, timeouts, circuit breakers and token buckets for calls to other systems. Start with docs/resilience.md or retry.ts.
 *
 * @module ephemeral-key-issuer/resilience
 */

export { type Backoff, backoffWindow, fullJitter } from './backoff.ts';
export {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  CircuitOpenError,
  type CircuitState,
  createCircuitBreaker,
} from './circuit-breaker.ts';
export { type Classification, classify } from './classify.ts';
export { type Clock, systemClock } from './clock.ts';
export { HttpError, okOrThrow } from './http-error.ts';
export { createIdempotencyKey } from './idempotency-key.ts';
export { type Attempt, type GiveUpReason, RetryError, type RetryOptions, retry } from './retry.ts';
export { type HeadersLike, parseRetryAfter } from './retry-after.ts';
export { type StreamSource, type StreamTimeoutOptions, startStream } from './stream-timeouts.ts';
export { type TokenDecision, type TokenRate, takeToken } from './token-bucket.ts';
export { createTokenBuckets, HANDSHAKE_RATE, type TokenBuckets, type TokenBucketsOptions } from './token-buckets.ts';
