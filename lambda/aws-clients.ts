/**
 * How long AWS is waited for. Without `throwOnRequestTimeout`, the SDK only warns and goes on waiting; and with it, it
 * still reads for ever an answer that arrives one byte a second. Here an attempt's time holds for the whole of it.
 */
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
    const leftMs = this.#limitMs - (performance.now() - startedAt);
    const timer = setTimeout(() => body.destroy(timeoutError(this.#limitMs)), leftMs);
    body.once('close', () => clearTimeout(timer));
    return handled;
  }
}

function timeoutError(limitMs: number): Error {
  return Object.assign(new Error(`The answer was not complete after ${limitMs} ms.`), { name: 'TimeoutError' });
}

/** Options for an AWS client: one attempt's time in milliseconds, and how many there are. */
export function patience(attemptMs: number, maxAttempts: number) {
  return { maxAttempts, requestHandler: new TimeLimitedHandler(attemptMs) };
}
