/**
 * The queue of one function's asynchronous events, as Lambda documents it, on the given clock:
 *
 *     accepted   first attempt   function error       second attempt        third attempt
 *        |------------|---------------|-----1 min-----------|------2 min---------|      then RetriesExhausted
 *
 *     accepted   throttled   throttled     throttled
 *        |-----------|--1 s--|----2 s----|-------4 s------- … 5 min at most             until EventAgeExceeded
 *
 * A retry that would come when the event is too old is not waited for: the event is discarded at once. AWS does the same after
 * a function error (recorded by LocalStack's test_maxeventage). For throttled events it is an assumption.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
import type { Clock } from '../../../resilience/index.ts';
import type { ErrorPayload } from './function-error.ts';

export interface QueuedEvent {
  /** The same in every attempt and for every duplicate. */
  readonly requestId: string;
  readonly payload: unknown;
}

/** What came of one attempt to run the function. */
export type Attempt =
  | { readonly kind: 'succeeded'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly error: ErrorPayload }
  /** The reserved concurrency was in use. */
  | { readonly kind: 'throttled' }
  /** The reserved concurrency is 0, which switches the function off. */
  | { readonly kind: 'switched_off' };

export interface RetrySettings {
  /** After a function error: 0 to 2. @default 2 */
  readonly maximumRetryAttempts?: number | undefined;
  /** 60 to 21,600. @default 21600, which is 6 hours */
  readonly maximumEventAgeSeconds?: number | undefined;
}

/** An event that the queue has given up. */
export interface DiscardedEvent {
  readonly event: QueuedEvent;
  readonly condition: 'RetriesExhausted' | 'EventAgeExceeded' | 'ZeroReservedConcurrency';
  /** The number of times that the function has run. */
  readonly invokeCount: number;
  /** What came of the last attempt. Undefined if there was none. */
  readonly last: Attempt | undefined;
}

export interface AsyncQueueOptions extends RetrySettings {
  readonly attempt: (event: QueuedEvent) => Promise<Attempt>;
  readonly discard: (discarded: DiscardedEvent) => void;
  readonly clock: Clock;
}

export interface AsyncQueue {
  /** @param delayMs before the first attempt; the event ages meanwhile */
  accept(event: QueuedEvent, delayMs?: number): void;
  /** No attempt begins afterwards, and nothing is discarded. */
  close(): void;
}

/** How far one event has come. */
interface Progress {
  readonly expiresAtMs: number;
  readonly invokeCount: number;
  /** Attempts that were throttled, since the function last ran. */
  readonly throttles: number;
  readonly last: Attempt | undefined;
}

const WAITS_AFTER_ERRORS_MS = [60_000, 120_000];
const FIRST_WAIT_AFTER_THROTTLE_MS = 1_000;
const LONGEST_WAIT_AFTER_THROTTLE_MS = 300_000;

export function createAsyncQueue(options: AsyncQueueOptions): AsyncQueue {
  const { maximumRetryAttempts = 2, maximumEventAgeSeconds = 21_600, attempt, discard, clock } = options;
  const timers = new Set<() => void>();
  let isClosed = false;

  function after(ms: number, run: () => void): void {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      run();
    });
    timers.add(cancel);
  }

  async function deliver(event: QueuedEvent, progress: Progress): Promise<void> {
    if (clock.now() >= progress.expiresAtMs) {
      return giveUp(event, progress, 'EventAgeExceeded');
    }
    const last = await attempt(event);
    if (isClosed) {
      return;
    }
    const { invokeCount, throttles } = progress;
    switch (last.kind) {
      case 'succeeded':
        return;
      case 'switched_off':
        return giveUp(event, { ...progress, last }, 'ZeroReservedConcurrency');
      case 'throttled':
        return retry(event, { ...progress, throttles: throttles + 1, last }, waitAfterThrottleMs(throttles));
      case 'failed': {
        const run = { ...progress, invokeCount: invokeCount + 1, throttles: 0, last };
        const waitMs = WAITS_AFTER_ERRORS_MS.slice(0, maximumRetryAttempts)[invokeCount];
        return waitMs === undefined ? giveUp(event, run, 'RetriesExhausted') : retry(event, run, waitMs);
      }
    }
  }

  function retry(event: QueuedEvent, progress: Progress, waitMs: number): void {
    if (clock.now() + waitMs >= progress.expiresAtMs) {
      giveUp(event, progress, 'EventAgeExceeded');
    } else {
      after(waitMs, () => void deliver(event, progress));
    }
  }

  function giveUp(event: QueuedEvent, { invokeCount, last }: Progress, condition: DiscardedEvent['condition']): void {
    discard({ event, condition, invokeCount, last });
  }

  return {
    accept(event, delayMs = 0) {
      const expiresAtMs = clock.now() + maximumEventAgeSeconds * 1_000;
      after(delayMs, () => void deliver(event, { expiresAtMs, invokeCount: 0, throttles: 0, last: undefined }));
    },
    close() {
      isClosed = true;
      for (const cancel of timers) {
        cancel();
      }
      timers.clear();
    },
  };
}

/** @param throttles before this one */
function waitAfterThrottleMs(throttles: number): number {
  return Math.min(FIRST_WAIT_AFTER_THROTTLE_MS * 2 ** throttles, LONGEST_WAIT_AFTER_THROTTLE_MS);
}
