/**
 * Calls a function until it succeeds, or until a retry is not allowed, not useful or too late. The error then contains the reason
 * and the time of the next possible retry. It waits as long as the server asks, plus jitter, and never past the deadline.
 */

import { type Backoff, fullJitter } from './backoff.ts';
import { type CircuitBreaker, CircuitOpenError } from './circuit-breaker.ts';
import { classify } from './classify.ts';
import { type Clock, clampTimer, sleep, systemClock } from './clock.ts';
import { okOrThrow } from './http-error.ts';
import { createIdempotencyKey } from './idempotency-key.ts';
import { parseRetryAfter } from './retry-after.ts';
import { withTimeLimit } from './time-limit.ts';

/** The argument of each attempt. */
export interface Attempt {
  /** The number of the attempt, starting at 1. */
  readonly attempt: number;
  /** Aborts at the attempt's timeout, or when the caller's signal aborts. Pass it to `fetch` or to your client. */
  readonly signal: AbortSignal;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

export interface RetryOptions {
  /**
   * Maximum number of attempts, including the first.
   * @default 5
   */
  readonly attempts?: number;
  /**
   * Timeout of one attempt, in milliseconds.
   * @default 20_000
   */
  readonly attemptTimeoutMs?: number;
  /**
   * Timeout of all attempts and the waits between them, in milliseconds. If it is 0 or less, the function is not called.
   * @default 60_000
   */
  readonly deadlineMs?: number;
  /** Ends the operation immediately, including a wait. */
  readonly signal?: AbortSignal | undefined;
  readonly backoff?: Backoff;
  /** Runs each attempt. Once it is open, there are no more attempts. */
  readonly breaker?: Pick<CircuitBreaker, 'call'>;
  /** @default 128 random bits */
  readonly idempotencyKey?: string;
  readonly clock?: Clock;
  /** Returns a number from 0 up to 1. @default Math.random */
  readonly random?: () => number;
}

export type GiveUpReason =
  /** The failure cannot be fixed by a retry. */
  | 'not_retryable'
  | 'attempts_exhausted'
  /** The deadline has passed, or the next wait would end after it. */
  | 'deadline'
  /** The caller's signal aborted. */
  | 'aborted'
  | 'circuit_open';

/** Thrown by `retry`. `cause` is the error of the last attempt, or the signal's reason if the caller aborted. */
export class RetryError extends Error {
  override readonly name = 'RetryError';
  declare readonly reason: GiveUpReason;
  /** The number of attempts made. */
  declare readonly attempts: number;
  /**
   * The earliest time of the next attempt, in milliseconds since the Unix epoch. Use it for your own Retry-After. Undefined after an
   * abort, after a failure that is not retryable and comes without a time, and if `deadlineMs` was 0 or less.
   */
  declare readonly retryAt: number | undefined;

  constructor(reason: GiveUpReason, attempts: number, retryAt: number | undefined, options: ErrorOptions) {
    // The cause's message is not included, because it is another system's text, and this message may be logged.
    super(`Gave up: ${reason} (attempts made: ${attempts})`, options);
    this.reason = reason;
    this.attempts = attempts;
    this.retryAt = retryAt;
  }
}

/**
 * Calls a function until it succeeds.
 * @param call the function. If it returns a Response with a status of 400 or more, that counts as an error, an HttpError
 * @throws RetryError only
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

/** @returns milliseconds to wait before the next attempt, or the error if there is no next attempt */
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
  const serverWaitMs = failure.kind === 'answer' ? parseRetryAfter(failure.headers, now) : undefined;
  if (!failure.retryable) {
    return giveUp('not_retryable', serverWaitMs && now + serverWaitMs);
  }
  // Add jitter to the server's wait: clients that all retry in the same second would be the next overload.
  const waitMs = (serverWaitMs ?? 0) + fullJitter(made - 1, random(), backoff);
  if (made >= attempts) {
    return giveUp('attempts_exhausted', now + waitMs);
  }
  return now + waitMs < deadline ? waitMs : giveUp('deadline', now + waitMs);
}
