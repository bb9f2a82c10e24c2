import { createCircuitBreaker, okOrThrow, RetryError, retry } from '../../../resilience/index.ts';

// Create one circuit breaker per external system, and keep it as long as the process runs.
const breaker = createCircuitBreaker({ onChange: ({ kind }) => console.log(`The orders API: ${kind}`) });

/** Places an order with another system, and always returns a response for our own caller. */
export async function placeOrder(url: string, order: unknown, caller: AbortSignal): Promise<Response> {
  try {
    const placed = await retry(
      async ({ signal, idempotencyKey }) => {
        const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
        const response = await okOrThrow(
          await fetch(url, { method: 'POST', headers, body: JSON.stringify(order), signal }),
        );
        return response.json(); // read the body here, so that the timeouts apply to it
      },
      { attempts: 3, attemptTimeoutMs: 4_000, deadlineMs: 10_000, signal: caller, breaker },
    );
    return Response.json(placed);
  } catch (error) {
    if (!(error instanceof RetryError) || error.retryAt === undefined) {
      return new Response('The order was not accepted', { status: 502 });
    }
    const seconds = Math.max(1, Math.ceil((error.retryAt - Date.now()) / 1000));
    return new Response('Please retry later', { status: 503, headers: { 'retry-after': String(seconds) } });
  }
}
