/**
 * Timeouts and retries of the AWS clients. Without `throwOnRequestTimeout`, the SDK only logs a warning and keeps waiting. Even
 * with it, a response that arrives at one byte a second is read without limit. Here the timeout of an attempt covers the
 * whole response. Between attempts, the SDK would wait a second after throttling and six seconds after a response with
 * Retry-After, which is more time than a visitor's request has left.
 */
import type { SSMClientConfig } from '@aws-sdk/client-ssm';
import { NodeHttpHandler } from '@smithy/node-http-handler';

type Handle = NodeHttpHandler['handle'];

class TimeLimitedHandler extends NodeHttpHandler {
  readonly #limitMs: number;

  constructor(limitMs: number) {
    super({ connectionTimeout: limitMs, requestTimeout: limitMs, throwOnRequestTimeout: true });
    this.#limitMs = limitMs;
  }

  override async handle(request: Parameters<Handle>[0], options: Parameters<Handle>[1] = {}): ReturnType<Handle> {
    const startedAt = performance.now();
    const handled = await super.handle(request, options);
    const { body } = handled.response;
    const leftMs = Math.max(0, this.#limitMs - (performance.now() - startedAt));
    const timer = setTimeout(() => body.destroy(timeoutError(this.#limitMs)), leftMs);
    body.once('close', () => clearTimeout(timer));
    return handled;
  }
}

function timeoutError(limitMs: number): Error {
  return Object.assign(new Error(`The response was not complete after ${limitMs} ms.`), { name: 'TimeoutError' });
}

/** The maximum jitter before a retry. */
const LONGEST_WAIT_MS = 100;

type RetryStrategy = Exclude<NonNullable<SSMClientConfig['retryStrategy']>, { retry: unknown }>;

/** Retries the errors that the SDK would retry, but without the SDK's waits. */
function retryStrategy(maxAttempts: number): RetryStrategy {
  const token = (retries: number, delayMs: number) => ({
    getRetryCount: () => retries,
    getRetryDelay: () => delayMs,
    getRetryCost: () => 0,
  });
  return {
    acquireInitialRetryToken: () => Promise.resolve(token(0, 0)),
    refreshRetryTokenForRetry(previous, { errorType }) {
      const retries = previous.getRetryCount() + 1;
      const isRetryable = errorType === 'THROTTLING' || errorType === 'TRANSIENT';
      return isRetryable && retries < maxAttempts
        ? Promise.resolve(token(retries, Math.random() * LONGEST_WAIT_MS))
        : Promise.reject(new Error('No further attempt'));
    },
    recordSuccess: () => undefined,
  };
}

/**
 * Options for an AWS client.
 * @param attemptMs timeout of one attempt, in milliseconds
 */
export function timeoutOptions(attemptMs: number, maxAttempts: number) {
  return {
    maxAttempts,
    retryStrategy: retryStrategy(maxAttempts),
    requestHandler: new TimeLimitedHandler(attemptMs),
  };
}
