/**
 * A limit on how long one piece of work may take. When it is over, or the caller's signal aborts, the promise rejects
 * at once, even if the work ignores the signal it was given.
 */

import { type Clock, whenOver } from './clock.ts';

export interface TimeLimit {
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/**
 * @param work is given a signal that aborts when its time is over or the caller's signal aborts
 * @throws a DOMException named TimeoutError, as `AbortSignal.timeout` does; the reason of the caller's signal; or
 *   whatever the work throws
 */
export async function withTimeLimit<T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { limitMs, signal, clock }: TimeLimit,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let cancel: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    cancel = whenOver(limitMs, signal, clock, (aborted) => {
      const reason = aborted ? signal?.reason : new DOMException('The time limit is over', 'TimeoutError');
      // Before the abort: else the work's own words for being aborted, which differ by library, would come first.
      reject(reason);
      controller.abort(reason);
    });
  });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    cancel?.();
  }
}
