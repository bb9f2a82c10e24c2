/** The loudness of a voice in a few frequency bands, from the levels that an AnalyserNode measured. Pure. */

/** Edges of the bands, in bins of {@link FFT_SIZE}: at 48 kHz a bin is 187 Hz wide, and a voice ends at about 4 kHz. */
const EDGES = [1, 2, 4, 7, 12, 20];
export const FFT_SIZE = 256;
/** The middle bar shows the lowest band, which is the strongest in a voice. The other bands are on both sides of it. */
const ORDER = [3, 1, 0, 2, 4];
export const BARS = ORDER.length;
const AUDIBLE = 0.2;

/** @param bins the result of getByteFrequencyData @returns a value from 0 to 1 for each bar, left to right */
export function loudnessOf(bins: Uint8Array): readonly number[] {
  return ORDER.map((band) => {
    const part = bins.subarray(EDGES[band], EDGES[band + 1]);
    return part.reduce((sum, level) => sum + level, 0) / part.length / 255;
  });
}

export function isAudible(loudness: readonly number[]): boolean {
  return Math.max(...loudness) > AUDIBLE;
}
