/**
 * Encodes an interval in two bytes, so that the last intervals of 100,000 clients fit in a few megabytes: its logarithm in
 * steps of 1/1200 octave (0.06 %), from 1 ms to 46 hours, and whether the client connected just before it. A shorter or longer
 * interval is stored as the nearest limit.
 */

const STEPS_PER_OCTAVE = 1_200;
const LARGEST_STEP = 0x7fff;
const AFTER_CONNECT = 0x8000;
/** log2 of milliseconds. A smaller value is an interval of at most 1 ms; those are not distinguished. */
export const SHORTEST = 1 / STEPS_PER_OCTAVE;
/** log2 of milliseconds, 46 hours. Longer intervals are not distinguished. */
export const LONGEST = LARGEST_STEP / STEPS_PER_OCTAVE;
/** Relative size of one step. */
export const ACCURACY = 2 ** (1 / STEPS_PER_OCTAVE) - 1;

/**
 * Caches the steps of whole milliseconds below about a minute: few intervals are anything else, and a logarithm takes
 * as long as everything else.
 */
const KNOWN_STEPS = new Uint16Array(1 << 16);

/** The code of an event without an interval; only used where codes are not marked yet. */
export const NO_INTERVAL = 0xffff;

/** @returns a code that is not marked yet with what came before the interval */
export function encodeInterval(milliseconds: number): number {
  if (milliseconds <= 1) {
    return 0;
  }
  const isWhole = milliseconds < KNOWN_STEPS.length && milliseconds === (milliseconds | 0);
  const known = isWhole ? (KNOWN_STEPS[milliseconds] ?? 0) : 0;
  if (known > 0) {
    return known;
  }
  const step = Math.min(LARGEST_STEP, Math.round(Math.log2(milliseconds) * STEPS_PER_OCTAVE));
  if (isWhole) {
    KNOWN_STEPS[milliseconds] = step;
  }
  return step;
}

/** @param code of {@link encodeInterval} */
export function markCode(code: number, isAfterConnect: boolean): number {
  return isAfterConnect ? code | AFTER_CONNECT : code;
}

/** @param intervals milliseconds; NaN if there is none */
export function encodeIntervals(intervals: Float64Array, length: number, into: Uint16Array): void {
  for (let row = 0; row < length; row += 1) {
    const interval = intervals[row] ?? Number.NaN;
    into[row] = Number.isNaN(interval) ? NO_INTERVAL : encodeInterval(interval);
  }
}

/** @returns index of the histogram bar of this interval; the first bar starts at 1 ms and also holds shorter ones */
export function barOf(code: number, barsPerOctave: number): number {
  return ((code & LARGEST_STEP) / (STEPS_PER_OCTAVE / barsPerOctave)) | 0;
}

/** log2 of the interval in milliseconds. */
export function octavesOf(code: number): number {
  return (code & LARGEST_STEP) / STEPS_PER_OCTAVE;
}

export function isAfterConnect(code: number): boolean {
  return (code & AFTER_CONNECT) !== 0;
}
