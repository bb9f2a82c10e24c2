/**
 * Asks the issuer for one key and says what came of it. A refusal is final, until its time has come; what is only busy
 * or out of order is asked again a few times, as late as it wishes and with jitter on top.
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
  /** Where to POST. Default: the path on the page's own origin. */
  readonly url?: string | undefined;
  /** Language of the sentences, as in Accept-Language. Default: the browser's. */
  readonly language?: string | undefined;
  /** How often the request is sent at most, the first time included. Default: 4. */
  readonly attempts?: number | undefined;
  /** The same for each repetition, so that no two keys are minted for one wish. Default: a fresh one. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** Somebody waits in front of a button: beyond this, he is told when to come back. */
const DEADLINE_MS = 45_000;
const BACKOFF = { baseMs: 1_000, capMs: 8_000 };

/**
 * Each request is answered within {@link BROWSER_TIMEOUT_MS}, all of them within 45 seconds.
 * @throws only the reason of the caller's own `signal`
 */
export async function requestSessionKey(request: SessionKeyRequest = {}): Promise<SessionKeyOutcome> {
  const { attempts = 4, signal, clock = systemClock, random = Math.random } = request;
  const { idempotencyKey = createIdempotencyKey() } = request;
  const deadline = clock.now() + DEADLINE_MS;
  // Not `retry`, which would have to be told what the outcome says already: it is twice as much for each visitor to load.
  for (let made = 1; ; made += 1) {
    const limitMs = Math.min(BROWSER_TIMEOUT_MS, deadline - clock.now());
    const outcome = await ask({ ...request, idempotencyKey, clock, limitMs });
    if (made >= attempts || !mayRepeat(outcome)) {
      return outcome;
    }
    const askedMs = Math.max(0, (outcome.retryAt ?? 0) - clock.now());
    const waitMs = askedMs + fullJitter(made - 1, random(), BACKOFF);
    if (clock.now() + waitMs >= deadline) {
      return outcome;
    }
    await sleep(waitMs, signal, clock);
  }
}

interface Ask extends SessionKeyRequest {
  readonly idempotencyKey: string;
  readonly clock: Clock;
  readonly limitMs: number;
}

async function ask(request: Ask): Promise<SessionKeyOutcome> {
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

type Repeatable = Extract<SessionKeyOutcome, { kind: 'busy' | 'unavailable' }>;

/** May the same request be sent again as it is? After a refusal, something must change first. */
export function mayRepeat(outcome: SessionKeyOutcome): outcome is Repeatable {
  return outcome.kind === 'busy' || (outcome.kind === 'unavailable' && outcome.retryable);
}
