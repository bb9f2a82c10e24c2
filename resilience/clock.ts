/** The clock and timers that this library uses. Tests can pass their own clock, so they never have to sleep. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Calls `run` once after `ms` milliseconds. Returns a function that cancels the timer. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** The longest delay of a timer, 24.8 days. `setTimeout(run, 2 ** 31)` fires immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, clampTimer(ms));
    return () => clearTimeout(timer);
  },
};

/**
 * Limits a delay to what `setTimeout` supports. A negative delay becomes 0. A delay that is too long or NaN becomes the longest
 * delay, so that a mistake does not cause a loop without waits.
 */
export function clampTimer(ms: number): number {
  return ms < LONGEST_TIMER_MS ? Math.max(0, ms) : LONGEST_TIMER_MS;
}

/**
 * Calls `over` once, after `ms` milliseconds or as soon as the signal aborts. Then the timer and the listener are removed. Returns a
 * function that cancels both.
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

/** Waits `ms` milliseconds. @throws the signal's reason as soon as the signal aborts */
export function sleep(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    whenOver(ms, signal, clock, (aborted) => (aborted ? reject(signal?.reason) : resolve()));
  });
}
