/**
 * Requests one key from the issuer and returns the outcome. A refusal is final until its `retryAt`. Temporary failures are
 * retried a few times, after any Retry-After plus jitter.
 */
import {
  BODY_HASH_HEADER,
  EMPTY_BODY_SHA256,
  IDEMPOTENCY_KEY_HEADER,
  SESSION_PATH,
} from '../../../contract/endpoint.ts';
import { BROWSER_TIMEOUT_MS } from '../../../contract/times.ts';
import { sleep } from '../../../resilience/clock.ts';
import { type Clock, createIdempotencyKey, fullJitter, systemClock } from '../../../resilience/index.ts';
import { withTimeLimit } from '../../../resilience/time-limit.ts';
import { readOutcome, type SessionKeyOutcome } from './session-key-outcome.ts';

export interface SessionKeyRequest {
  /** Where to send the POST request. Default: `/session` on the page's own origin. */
  readonly url?: string | undefined;
  /** Language of the issuer's messages, in the syntax of Accept-Language. Default: the browser's. */
  readonly language?: string | undefined;
  /** Maximum number of requests, including the first. Default: 4. */
  readonly attempts?: number | undefined;
  /** Sent unchanged with every retry, so that retries never mint a second key. Default: a new random one. */
  readonly idempotencyKey?: string;
  /** Aborts the request, and the wait before a retry. */
  readonly signal?: AbortSignal;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** The time and timers. Default: the system's. */
  readonly clock?: Clock;
  /** Returns a number from 0 up to, but not including, 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** A visitor is waiting in front of a button. A retry that would exceed this time is not made. */
const DEADLINE_MS = 45_000;
const BACKOFF = { baseMs: 1_000, capMs: 8_000 };

/**
 * Requests one key. Each request times out after `BROWSER_TIMEOUT_MS`, and all of them together after 45 seconds.
 * @throws only the abort reason of the caller's own `signal`
 */
export async function requestSessionKey(request: SessionKeyRequest = {}): Promise<SessionKeyOutcome> {
  const { attempts = 4, signal, clock = systemClock, random = Math.random } = request;
  const { idempotencyKey = createIdempotencyKey() } = request;
  const deadline = clock.now() + DEADLINE_MS;
  // Not `retry` of resilience/, which would need the outcome again in its own terms: each visitor would load twice as much.
  for (let attempt = 1; ; attempt += 1) {
    const limitMs = Math.min(BROWSER_TIMEOUT_MS, deadline - clock.now());
    const outcome = await sendOnce({ ...request, idempotencyKey, clock, limitMs });
    if (attempt >= attempts || !mayRetry(outcome)) {
      return outcome;
    }
    const retryAfterMs = Math.max(0, (outcome.retryAt ?? 0) - clock.now());
    const waitMs = retryAfterMs + fullJitter(attempt - 1, random(), BACKOFF);
    if (clock.now() + waitMs >= deadline) {
      return outcome;
    }
    await sleep(waitMs, signal, clock);
  }
}

interface SingleRequest extends SessionKeyRequest {
  readonly idempotencyKey: string;
  readonly clock: Clock;
  readonly limitMs: number;
}

async function sendOnce(request: SingleRequest): Promise<SessionKeyOutcome> {
  const { url = SESSION_PATH, language, idempotencyKey, signal, fetch = globalThis.fetch, clock, limitMs } = request;
  const headers = {
    [BODY_HASH_HEADER]: EMPTY_BODY_SHA256,
    [IDEMPOTENCY_KEY_HEADER]: idempotencyKey,
    ...(language === undefined ? {} : { 'accept-language': language }),
  };
  try {
    return await withTimeLimit(
      async (limit) => readOutcome(await fetch(url, { method: 'POST', headers, signal: limit }), clock.now),
      { limitMs, signal, clock },
    );
  } catch {
    signal?.throwIfAborted();
    return { kind: 'unavailable', retryable: true };
  }
}

type Retryable = Extract<SessionKeyOutcome, { kind: 'busy' | 'unavailable' }>;

/** Whether the same request may be sent again unchanged. After a refusal, something must change first. */
export function mayRetry(outcome: SessionKeyOutcome): outcome is Retryable {
  return outcome.kind === 'busy' || (outcome.kind === 'unavailable' && outcome.retryable);
}
