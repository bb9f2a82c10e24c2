/**
 * Requests a key from OpenAI: POST /realtime/client_secrets, with at most two attempts, behind a circuit breaker. There are four
 * outcomes. OpenAI's own text is never passed on, because its error messages quote the API key and its response echoes the
 * instructions.
 */
import type { SessionConfig } from '../../contract/configuration.ts';
import { MINT_ATTEMPTS, MINT_DEADLINE_MS, MINT_TIMEOUT_MS } from '../../contract/times.ts';
import {
  type Clock,
  classify,
  createCircuitBreaker,
  HttpError,
  okOrThrow,
  parseRetryAfter,
  RetryError,
  retry,
} from '../../resilience/index.ts';
import { fieldsOf } from '../unknown-value.ts';
import type { ViewerId } from '../visitor/viewer.ts';

/** The part of OpenAI's response that a visitor gets. The rest echoes the owner's instructions. */
export interface SessionKey {
  /** `ek_…` */
  readonly value: string;
  /** Epoch seconds. */
  readonly expires_at: number;
  readonly session: { readonly type: string; readonly model: string };
}

export type Minting =
  | { readonly outcome: 'minted'; readonly key: SessionKey }
  /** 401: the API key is invalid, or was rotated. */
  | { readonly outcome: 'unauthorized'; readonly reason: string }
  /** A retry cannot succeed until the owner changes something: configuration, country or billing. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** A retry may succeed. After a timeout OpenAI may have created a key, but nobody has it. `retryAt` is in epoch milliseconds. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly retryAt: number };

/** @param until epoch milliseconds after which the caller no longer waits */
export type Mint = (apiKey: string, viewer: ViewerId, until: number) => Promise<Minting>;

export interface MintOptions {
  readonly baseUrl: string;
  readonly session: SessionConfig;
  readonly keyTtlSeconds: number;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
}

/** Used if OpenAI sends no Retry-After. */
const DEFAULT_RETRY_AFTER_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/** Call it once per container, so that the circuit breaker keeps its state. */
export function createMint(options: MintOptions): Mint {
  const { clock, random } = options;
  // A probe is a single attempt and ends within this time. If its container was frozen, it must not block later calls.
  const breaker = createCircuitBreaker({ clock, probeTimeoutMs: MINT_DEADLINE_MS });

  return async (apiKey, viewer, until) => {
    try {
      const key = await retry(({ signal }) => requestKey(apiKey, viewer, signal, options), {
        attempts: MINT_ATTEMPTS,
        attemptTimeoutMs: MINT_TIMEOUT_MS,
        deadlineMs: Math.min(MINT_DEADLINE_MS, until - clock.now()),
        breaker,
        clock,
        random,
      });
      return { outcome: 'minted', key };
    } catch (error) {
      if (error instanceof RetryError) {
        return failureIn(error, clock.now());
      }
      throw error;
    }
  };
}

/** @throws HttpError, or what fetch throws */
async function requestKey(
  apiKey: string,
  viewer: ViewerId,
  signal: AbortSignal,
  { baseUrl, session, keyTtlSeconds, fetch, clock }: MintOptions,
): Promise<SessionKey> {
  const response = await okOrThrow(
    await fetch(`${baseUrl}/realtime/client_secrets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'openai-safety-identifier': viewer,
      },
      body: JSON.stringify({ expires_after: { anchor: 'created_at', seconds: keyTtlSeconds }, session }),
      // A redirect means an incorrect base URL. Following it would send the API key to another host.
      redirect: 'manual',
      signal,
    }),
  );
  const { status, headers, ok } = response;
  if (!ok) {
    await response.body?.cancel();
    throw new HttpError(status, headers, undefined);
  }
  const key = keyIn(parseJson(await response.text()), clock.now());
  if (key === undefined) {
    throw new UnusableResponseError(status, headers);
  }
  return key;
}

/** A successful status without a key, from a proxy in between. It is treated like status 502. */
class UnusableResponseError extends HttpError {
  readonly originalStatus: number;

  constructor(originalStatus: number, headers: Headers) {
    super(502, headers, undefined);
    this.originalStatus = originalStatus;
  }
}

function failureIn(
  { reason, attempts, retryAt, cause }: RetryError,
  now: number,
): Exclude<Minting, { outcome: 'minted' }> {
  if (reason === 'circuit_open') {
    return {
      outcome: 'unavailable',
      reason: 'no request was sent, because the circuit breaker is open after repeated failures',
      retryAt: retryAt ?? now,
    };
  }
  if (attempts === 0) {
    return {
      outcome: 'unavailable',
      reason: 'no request was sent, because no time was left',
      retryAt: now + DEFAULT_RETRY_AFTER_MS,
    };
  }
  const failure = classify(cause);
  const status = cause instanceof HttpError ? cause.status : undefined;
  if (status !== undefined && (failure.kind !== 'answer' || failure.health === 'alive')) {
    return refusalOf(status);
  }
  const retryAfterMs = failure.kind === 'answer' ? parseRetryAfter(failure.headers, now) : undefined;
  return {
    outcome: 'unavailable',
    reason: cause instanceof HttpError ? statusReason(cause) : NO_RESPONSE_REASON[failure.kind],
    retryAt: now + Math.min(retryAfterMs ?? DEFAULT_RETRY_AFTER_MS, LONGEST_RETRY_AFTER_MS),
  };
}

function statusReason(error: HttpError): string {
  return error instanceof UnusableResponseError
    ? `status ${error.originalStatus} without a usable key`
    : `status ${error.status}`;
}

function refusalOf(status: number): Exclude<Minting, { outcome: 'minted' | 'unavailable' }> {
  if (status === 401) {
    return { outcome: 'unauthorized', reason: 'status 401: the API key or its organisation is invalid' };
  }
  return {
    outcome: 'refused',
    reason:
      status === 429
        ? "status 429: the quota or credit is used up; check the project's billing page"
        : `status ${status}: check session.json, OPENAI_BASE_URL and the permissions of the API key`,
  };
}

const NO_RESPONSE_REASON: Record<ReturnType<typeof classify>['kind'], string> = {
  answer: 'an unusable response',
  connection: 'the connection failed',
  timeout: `no answer within ${MINT_TIMEOUT_MS} ms`,
  aborted: 'the request was aborted',
  unknown: 'the connection failed',
};

/** The key in a response of unknown shape. An expired key counts as none. */
function keyIn(body: unknown, now: number): SessionKey | undefined {
  const { value, expires_at, session } = fieldsOf(body);
  const { type, model } = fieldsOf(session);
  const isKey = typeof value === 'string' && /^ek_[!-~]+$/.test(value);
  const isAlive = typeof expires_at === 'number' && Number.isSafeInteger(expires_at) && expires_at * 1_000 > now;
  return isKey && isAlive && typeof type === 'string' && typeof model === 'string'
    ? { value, expires_at, session: { type, model } }
    : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
