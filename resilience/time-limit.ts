/**
 * A timeout for a piece of work. At the timeout, or when the caller's signal aborts, the promise rejects immediately, even if the
 * work ignores its signal.
 */

import { type Clock, whenOver } from './clock.ts';

export interface TimeLimit {
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/**
 * @param work its argument is a signal that aborts at the timeout, or when the caller's signal aborts
 * @throws a DOMException named TimeoutError, as `AbortSignal.timeout` does; the reason of the caller's signal; or what the work
 *   throws
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
      const reason = aborted ? signal?.reason : new DOMException('Timed out', 'TimeoutError');
      // Reject before aborting. Otherwise the work's own abort error, which differs by library, would be thrown.
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
