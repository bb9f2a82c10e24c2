/**
 * Exponential backoff with full jitter: `U(0, min(cap, base * 2^n))`.
 * Source: AWS Architecture Blog, "Exponential Backoff And Jitter". The waits are spread over the whole window, down to 0, so that
 * many clients do not retry at the same time; see docs/retry-waves.svg.
 */

export interface Backoff {
  /**
   * Length of the first window, in milliseconds. Each later window is twice as long.
   * @default 500
   */
  readonly baseMs?: number;
  /**
   * Maximum length of a window, in milliseconds.
   * @default 20_000
   */
  readonly capMs?: number;
  /**
   * Length of only the first window, in milliseconds; at most `capMs`. Set it if a failure hits all clients at the same moment, such
   * as a server restart: half a second is too short to spread many clients, ten seconds are enough.
   * @default baseMs
   */
  readonly firstWindowMs?: number;
}

/**
 * @param retry 0 before the first retry, 1 before the second, ...
 * @returns the longest wait that {@link fullJitter} can return, in milliseconds
 */
export function backoffWindow(retry: number, backoff: Backoff = {}): number {
  const { baseMs = 500, capMs = 20_000, firstWindowMs = baseMs } = backoff;
  // 2 ** 1024 is Infinity, and 0 * Infinity is NaN.
  const window = retry === 0 ? firstWindowMs : baseMs * 2 ** Math.min(retry, 99);
  return Math.min(window, capMs);
}

/**
 * @param retry 0 before the first retry, 1 before the second, ...
 * @param random a number from 0 up to 1, as returned by `Math.random()`
 * @returns milliseconds to wait, from 0 to the window
 */
export function fullJitter(retry: number, random: number, backoff?: Backoff): number {
  return random * backoffWindow(retry, backoff);
}
