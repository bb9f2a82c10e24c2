/**
 * An interval in two bytes, so that the last ones of 100,000 clients fit in a few megabytes: its logarithm in steps of
 * 1/1200 octave (0.06 %), from 1 ms to 46 hours, and whether a connection stood just before it. What lies outside is
 * kept as the nearest end.
 */

const STEPS_PER_OCTAVE = 1_200;
const LARGEST_STEP = 0x7fff;
const AFTER_CONNECT = 0x8000;
/** log2 of milliseconds: what is below was 1 ms at most, and shorter ones are not told apart. */
export const SHORTEST = 1 / STEPS_PER_OCTAVE;
/** The same of 46 hours: longer ones are not told apart. */
export const LONGEST = LARGEST_STEP / STEPS_PER_OCTAVE;
/** What one step is of an interval. */
export const ACCURACY = 2 ** (1 / STEPS_PER_OCTAVE) - 1;

/** Of whole milliseconds below a minute, once each was needed: a log has few others, and a logarithm takes as long as all the rest. */
const KNOWN_STEPS = new Uint16Array(1 << 16);

/** Where codes do not say yet what stood before them: for an event without an interval. */
export const NO_INTERVAL = 0xffff;

/** @returns a code that does not say yet what stood before it */
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

/** @param intervals milliseconds; NaN for none */
export function encodeIntervals(intervals: Float64Array, length: number, into: Uint16Array): void {
  for (let row = 0; row < length; row += 1) {
    const interval = intervals[row] ?? Number.NaN;
    into[row] = Number.isNaN(interval) ? NO_INTERVAL : encodeInterval(interval);
  }
}

/** @returns which bar of so many to an octave it is in, the first being that of up to 1 ms */
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
