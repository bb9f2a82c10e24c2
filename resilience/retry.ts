/**
 * Calls a function until it succeeds, or until trying again would be wrong, useless or too late. What it throws then
 * says which of these, and when to come back. It waits as long as the server asks, with jitter on top, and never past
 * the deadline.
 */

import { type Backoff, fullJitter } from './backoff.ts';
import { type CircuitBreaker, CircuitOpenError } from './circuit-breaker.ts';
import { classify } from './classify.ts';
import { type Clock, clampTimer, sleep, systemClock } from './clock.ts';
import { okOrThrow } from './http-error.ts';
import { createIdempotencyKey } from './idempotency-key.ts';
import { parseRetryAfter } from './retry-after.ts';
import { withTimeLimit } from './time-limit.ts';

/** What each attempt is given. */
export interface Attempt {
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborts when this attempt's time is over or the caller's signal aborts. Pass it on. */
  readonly signal: AbortSignal;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

export interface RetryOptions {
  /**
   * How often the function is called at most, the first time included.
   * @default 5
   */
  readonly attempts?: number;
  /**
   * For one attempt, in milliseconds.
   * @default 20_000
   */
  readonly attemptTimeoutMs?: number;
  /**
   * For all attempts and the waits between them, in milliseconds. Where none are left, nothing is called.
   * @default 60_000
   */
  readonly deadlineMs?: number;
  /** Ends everything at once, a wait included. */
  readonly signal?: AbortSignal | undefined;
  readonly backoff?: Backoff;
  /** Each attempt passes through it. Once it is open, there are no more attempts. */
  readonly breaker?: Pick<CircuitBreaker, 'call'>;
  /** @default 128 random bits */
  readonly idempotencyKey?: string;
  readonly clock?: Clock;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

export type GiveUpReason =
  /** Sending the same again would not help. */
  | 'not_retryable'
  | 'attempts_exhausted'
  /** The time is over, or would be by the end of the next wait. */
  | 'deadline'
  /** The caller's signal. */
  | 'aborted'
  | 'circuit_open';

/** `cause` is the error that the last attempt ended with; where the caller aborted, the signal's reason. */
export class RetryError extends Error {
  override readonly name = 'RetryError';
  declare readonly reason: GiveUpReason;
  /** How many attempts were made. */
  declare readonly attempts: number;
  /**
   * Until when it would have had to wait, in milliseconds since the Unix epoch: what an honest Retry-After says.
   * Undefined where no wait helps: after an abort, and after a refusal that does not name a time.
   */
  declare readonly retryAt: number | undefined;

  constructor(reason: GiveUpReason, attempts: number, retryAt: number | undefined, options: ErrorOptions) {
    // Without the cause's message: that is another system's text, and this one ends in logs.
    super(`Gave up: ${reason} (attempts made: ${attempts})`, options);
    this.reason = reason;
    this.attempts = attempts;
    this.retryAt = retryAt;
  }
}

/**
 * @param call a Response with a status of 400 or more that it returns counts as thrown, as an HttpError
 * @throws RetryError, and nothing else
 */
export async function retry<T>(call: (attempt: Attempt) => T | Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attemptTimeoutMs = 20_000, deadlineMs = 60_000, signal, breaker, clock = systemClock } = options;
  const { idempotencyKey = createIdempotencyKey() } = options;
  const deadline = clock.now() + clampTimer(deadlineMs);
  let made = 0;
  if (deadlineMs <= 0) {
    throw new RetryError('deadline', made, undefined, {});
  }

  const attempt = () =>
    withTimeLimit(
      async (attemptSignal) => {
        made += 1;
        return okOrThrow(await call({ attempt: made, signal: attemptSignal, idempotencyKey }));
      },
      { limitMs: Math.min(attemptTimeoutMs, deadline - clock.now()), signal, clock },
    );

  for (;;) {
    try {
      return await (breaker?.call(attempt) ?? attempt());
    } catch (error) {
      const next = waitOrGiveUp(error, made, deadline, clock.now(), options);
      if (typeof next !== 'number') {
        throw next;
      }
      await sleep(next, signal, clock).catch((reason) => {
        throw new RetryError('aborted', made, undefined, { cause: reason });
      });
    }
  }
}

/** @returns milliseconds to wait before the next attempt, or why there is none */
function waitOrGiveUp(
  error: unknown,
  made: number,
  deadline: number,
  now: number,
  { attempts = 5, signal, backoff, random = Math.random }: RetryOptions,
): number | RetryError {
  const giveUp = (reason: GiveUpReason, retryAt?: number) => new RetryError(reason, made, retryAt, { cause: error });
  if (signal?.aborted) {
    return giveUp('aborted');
  }
  if (error instanceof CircuitOpenError) {
    return giveUp('circuit_open', error.retryAt);
  }
  const failure = classify(error);
  const askedMs = failure.kind === 'answer' ? parseRetryAfter(failure.headers, now) : undefined;
  if (!failure.retryable) {
    return giveUp('not_retryable', askedMs && now + askedMs);
  }
  // On top of what is asked: callers that all come back to the second are the next wave.
  const waitMs = (askedMs ?? 0) + fullJitter(made - 1, random(), backoff);
  if (made >= attempts) {
    return giveUp('attempts_exhausted', now + waitMs);
  }
  return now + waitMs < deadline ? waitMs : giveUp('deadline', now + waitMs);
}
