/**
 * An interval in two bytes, so that the last ones of 100,000 clients fit in a few megabytes: its logarithm in steps of
 * 1/1200 octave (0.06 %), from 1 ms to 38 hours, and whether a connection stood just before it. What lies outside is
 * kept as the nearest end.
 */

const STEPS_PER_OCTAVE = 1_200;
const LARGEST_STEP = 0x7fff;
const AFTER_CONNECT = 0x8000;

export function encodeInterval(milliseconds: number, isAfterConnect: boolean): number {
  const step = milliseconds <= 1 ? 0 : Math.min(LARGEST_STEP, Math.round(Math.log2(milliseconds) * STEPS_PER_OCTAVE));
  return isAfterConnect ? step | AFTER_CONNECT : step;
}

/** log2 of the interval in milliseconds. */
export function octavesOf(code: number): number {
  return (code & LARGEST_STEP) / STEPS_PER_OCTAVE;
}

export function isAfterConnect(code: number): boolean {
  return (code & AFTER_CONNECT) !== 0;
}
