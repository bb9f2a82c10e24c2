/**
 * How long AWS is waited for. Without `throwOnRequestTimeout`, the SDK only warns and goes on waiting; and with it, it
 * still reads for ever an answer that arrives one byte a second. Here an attempt's time holds for the whole of it. And
 * between two attempts the SDK would wait a second for throttling, and six where an answer has a Retry-After: more than
 * a visitor's request has left.
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
  return Object.assign(new Error(`The answer was not complete after ${limitMs} ms.`), { name: 'TimeoutError' });
}

/** Jitter before a further attempt, at most. */
const LONGEST_WAIT_MS = 100;

type RetryStrategy = Exclude<NonNullable<SSMClientConfig['retryStrategy']>, { retry: unknown }>;

/** The SDK's judgement of what may be repeated, without its waits. */
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
      const mayPass = errorType === 'THROTTLING' || errorType === 'TRANSIENT';
      return mayPass && retries < maxAttempts
        ? Promise.resolve(token(retries, Math.random() * LONGEST_WAIT_MS))
        : Promise.reject(new Error('No further attempt'));
    },
    recordSuccess: () => undefined,
  };
}

/** Options for an AWS client: one attempt's time in milliseconds, and how many there are. */
export function patience(attemptMs: number, maxAttempts: number) {
  return {
    maxAttempts,
    retryStrategy: retryStrategy(maxAttempts),
    requestHandler: new TimeLimitedHandler(attemptMs),
  };
}
