/**
 * How long to wait before trying again: full jitter, `U(0, min(cap, base * 2^n))`.
 * Source: AWS Architecture Blog, "Exponential Backoff And Jitter". Spreading the waits over the whole window, down to
 * 0, is what takes a crowd apart; docs/retry-waves.svg shows it.
 */

export interface Backoff {
  /**
   * Width of the first window, in milliseconds; each later one is twice as wide.
   * @default 500
   */
  readonly baseMs?: number;
  /**
   * No window is wider, in milliseconds.
   * @default 20_000
   */
  readonly capMs?: number;
  /**
   * Width of the first window alone, where it differs: for a drop that hits everybody in the same instant, such as a
   * restarted server. Half a second is too narrow for a crowd; ten seconds are not. It does not exceed the cap.
   * @default baseMs
   */
  readonly firstWindowMs?: number;
}

/**
 * @param retry 0 before the first retry, 1 before the second, ...
 * @returns the longest that {@link fullJitter} may wait, in milliseconds
 */
export function backoffWindow(retry: number, backoff: Backoff = {}): number {
  const { baseMs = 500, capMs = 20_000, firstWindowMs = baseMs } = backoff;
  // 2 ** 1024 is Infinity, and a base of 0 times that is NaN.
  const window = retry === 0 ? firstWindowMs : baseMs * 2 ** Math.min(retry, 99);
  return Math.min(window, capMs);
}

/**
 * @param retry 0 before the first retry, 1 before the second, ...
 * @param random from 0 up to 1, as `Math.random()` gives it
 * @returns milliseconds to wait, from 0 to the window
 */
export function fullJitter(retry: number, random: number, backoff?: Backoff): number {
  return random * backoffWindow(retry, backoff);
}
