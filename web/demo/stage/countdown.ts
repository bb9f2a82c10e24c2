/** A countdown, as digits and as a share of the ring. */
import type { Period } from '../page-state.ts';

export interface Countdown {
  /** `m:ss` or `h:mm:ss`. */
  readonly digits: string;
  /** What is counted down. */
  readonly caption: string;
  /** The share that is left, from 1 to 0. */
  readonly share: number;
}

export function countdownOf(period: Period | undefined, now: number, caption: string): Countdown | undefined {
  return period && { digits: digits(period.until - now), caption, share: share(period, now) };
}

/** Rounded up: the last second reads 0:01, and at 0:00 the wait is over. */
function digits(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const [ss, mm] = [twoDigits(seconds % 60), twoDigits(minutes % 60)];
  return hours === 0 ? `${minutes}:${ss}` : `${hours}:${mm}:${ss}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** If the clock is set back, the ring stays full. */
function share({ from, until }: Period, now: number): number {
  return Math.min(1, Math.max(0, (until - now) / (until - from)));
}
