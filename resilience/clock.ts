/**
 * Time as the other files see it: what time it is, and a timer that cannot misfire. Tests hand in a clock of their own
 * and never sleep.
 */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Runs `run` once after `ms` milliseconds. Calling what it returns cancels that. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** The longest wait that a timer can hold, 24.8 days: `setTimeout(run, 2 ** 31)` fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, clampTimer(ms));
    return () => clearTimeout(timer);
  },
};

/**
 * A number of milliseconds that `setTimeout` takes at its word. What is past is now; what is too long, or is no number
 * at all, is the longest wait there is: a mistake must not turn into a loop that never rests.
 */
export function clampTimer(ms: number): number {
  return ms < LONGEST_TIMER_MS ? Math.max(0, ms) : LONGEST_TIMER_MS;
}

/**
 * Calls `over` once: when the time is over, or as soon as the signal aborts. Neither the timer nor the listener
 * outlives that call, or the call of what it returns, which cancels it.
 */
export function whenOver(
  ms: number,
  signal: AbortSignal | undefined,
  clock: Clock,
  over: (aborted: boolean) => void,
): () => void {
  const cancelTimer = clock.after(ms, () => end(false));
  const onAbort = () => end(true);
  signal?.addEventListener('abort', onAbort);
  const cancel = () => {
    cancelTimer();
    signal?.removeEventListener('abort', onAbort);
  };
  const end = (aborted: boolean) => {
    cancel();
    over(aborted);
  };
  return cancel;
}

/** @throws the signal's reason, as soon as it aborts */
export function sleep(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    whenOver(ms, signal, clock, (aborted) => (aborted ? reject(signal?.reason) : resolve()));
  });
}
