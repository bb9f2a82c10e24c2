/** A period that runs out, as digits and as a share of a ring. */
import type { Period } from '../page-state.ts';

export interface Countdown {
  /** `m:ss` or `h:mm:ss`. */
  readonly digits: string;
  readonly caption: string;
  /** From 1 (all is left) to 0. */
  readonly share: number;
}

export function countdownOf(period: Period | undefined, now: number, caption: string): Countdown | undefined {
  return period && { digits: digits(period.until - now), caption, share: share(period, now) };
}

/** Rounded up: the last second reads 0:01, and 0:00 is never a time at which one still waits. */
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

/** A clock that was set back must not fill the ring beyond its end. */
function share({ from, until }: Period, now: number): number {
  return Math.min(1, Math.max(0, (until - now) / (until - from)));
}
