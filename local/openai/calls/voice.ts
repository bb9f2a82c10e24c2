/** The stand-in's voice is a tone, as long as its words would take to say. Samples have 16 bits. */

/** The sample rate of audio/pcm, in which the stand-in keeps all audio. */
export const PCM_RATE = 24_000;

/** A fast speaker: tests must not wait for a slow one. */
const MS_PER_WORD = 100;
/** What counts as a word of a transcript, with the space after it. */
const WORD = /\S+\s*/g;

export function wordsOf(transcript: string): readonly string[] {
  return transcript.match(WORD) ?? [];
}

/** @returns samples at {@link PCM_RATE} */
export function spoken(transcript: string): Int16Array {
  return tone(wordsOf(transcript).length * MS_PER_WORD);
}

/** A tone at a third of full volume. @returns samples at {@link PCM_RATE} */
export function tone(durationMs: number, hertz = 440): Int16Array {
  const length = Math.round((durationMs / 1000) * PCM_RATE);
  return Int16Array.from({ length }, (_, at) => Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / PCM_RATE)));
}

/** @param samples at {@link PCM_RATE} */
export function durationMs(samples: Int16Array): number {
  return (samples.length / PCM_RATE) * 1000;
}

export function samplesIn(ms: number): number {
  return Math.round((ms / 1000) * PCM_RATE);
}

export function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
