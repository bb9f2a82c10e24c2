/**
 * The call to OpenAI that makes a key: POST /realtime/client_secrets, twice at most, behind a circuit breaker. Every way in
 * which it can end is one of four outcomes. OpenAI's own words stay here: its error texts quote the key, and its answer
 * echoes the instructions.
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

/** What a visitor gets: of OpenAI's answer only this, since the rest echoes the owner's instructions. */
export interface SessionKey {
  /** `ek_…` */
  readonly value: string;
  /** Epoch seconds. */
  readonly expires_at: number;
  readonly session: { readonly type: string; readonly model: string };
}

export type Minting =
  | { readonly outcome: 'minted'; readonly key: SessionKey }
  /** 401: our key is wrong, or has been rotated. */
  | { readonly outcome: 'unauthorized'; readonly reason: string }
  /** OpenAI will say the same again until the owner changes something: configuration, country, bill. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** OpenAI may say something else later. A key may exist after a timeout; nobody holds it. Epoch milliseconds. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly retryAt: number };

/** @param until epoch milliseconds after which nobody waits for a key any more */
export type Mint = (apiKey: string, viewer: ViewerId, until: number) => Promise<Minting>;

export interface MintOptions {
  readonly baseUrl: string;
  readonly session: SessionConfig;
  readonly keyTtlSeconds: number;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** From 0 up to 1: jitter. */
  readonly random: () => number;
}

/** Where OpenAI does not say. */
const DEFAULT_RETRY_AFTER_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/** One for a container's life: the breaker remembers how OpenAI has been. */
export function createMint(options: MintOptions): Mint {
  const { clock, random } = options;
  // A probe is one attempt, and over by then; one whose container was frozen meanwhile must not keep the others out.
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
      // A redirect would be a wrong base URL, and following it would carry the key to another host.
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
    throw new UnusableAnswerError(status, headers);
  }
  return key;
}

/** Success without a key: whatever stands between us and OpenAI said that. To be treated as a bad gateway's word. */
class UnusableAnswerError extends HttpError {
  readonly answered: number;

  constructor(answered: number, headers: Headers) {
    super(502, headers, undefined);
    this.answered = answered;
  }
}

function failureIn(
  { reason, attempts, retryAt, cause }: RetryError,
  now: number,
): Exclude<Minting, { outcome: 'minted' }> {
  if (reason === 'circuit_open') {
    return { outcome: 'unavailable', reason: 'has been failing and is left alone', retryAt: retryAt ?? now };
  }
  if (attempts === 0) {
    return { outcome: 'unavailable', reason: 'no time was left to ask', retryAt: now + DEFAULT_RETRY_AFTER_MS };
  }
  const failure = classify(cause);
  const status = cause instanceof HttpError ? cause.status : undefined;
  if (status !== undefined && (failure.kind !== 'answer' || failure.health === 'alive')) {
    return refusalOf(status);
  }
  const askedMs = failure.kind === 'answer' ? parseRetryAfter(failure.headers, now) : undefined;
  return {
    outcome: 'unavailable',
    reason: cause instanceof HttpError ? saidBy(cause) : SILENCE[failure.kind],
    retryAt: now + Math.min(askedMs ?? DEFAULT_RETRY_AFTER_MS, LONGEST_RETRY_AFTER_MS),
  };
}

function saidBy(error: HttpError): string {
  return error instanceof UnusableAnswerError
    ? `status ${error.answered} without a usable key`
    : `status ${error.status}`;
}

function refusalOf(status: number): Exclude<Minting, { outcome: 'minted' | 'unavailable' }> {
  if (status === 401) {
    return { outcome: 'unauthorized', reason: 'status 401: the API key or its organisation is wrong' };
  }
  return {
    outcome: 'refused',
    reason:
      status === 429
        ? 'status 429: quota or credit is used up; see the billing page of the project'
        : `status ${status}: see session.json, OPENAI_BASE_URL and the key's permissions`,
  };
}

const SILENCE: Record<ReturnType<typeof classify>['kind'], string> = {
  answer: 'an answer of no use',
  connection: 'the connection failed',
  timeout: `no answer within ${MINT_TIMEOUT_MS} ms`,
  aborted: 'the call was ended',
  unknown: 'the connection failed',
};

/** The key in an answer that may be anything. One that has expired is of no use to anybody. */
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
