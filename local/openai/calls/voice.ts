/**
 * Audio for the OpenAI stand-in's calls: a tone in place of a voice, and G.711 µ-law, which browsers offer as PCMU. It takes a
 * few lines of code, where Opus would take a library. Samples have 16 bits; the caller keeps track of their rate.
 */

/** The sample rate of the Realtime API's audio/pcm. */
export const PCM_RATE = 24_000;
/** The only sample rate of PCMU. */
export const PCMU_RATE = 8_000;

const BIAS = 0x84;
const CLIP = 32_635;

/** A tone at a third of full volume. @returns samples at {@link PCM_RATE} */
export function tone(durationMs: number, hertz = 440): Int16Array {
  const length = Math.round((durationMs / 1000) * PCM_RATE);
  return Int16Array.from({ length }, (_, at) => Math.round(10_000 * Math.sin((2 * Math.PI * hertz * at) / PCM_RATE)));
}

/** Takes every third sample. No filter is needed, because the tone is below 4 kHz. */
export function toPcmuRate(samples: Int16Array): Int16Array {
  return samples.filter((_, at) => at % (PCM_RATE / PCMU_RATE) === 0);
}

/** ITU-T G.711: the sign, three bits for the segment, four bits for the position in it; all bits inverted. */
export function encodePcmu(samples: Int16Array): Buffer {
  return Buffer.from(Uint8Array.from(samples, encodeSample));
}

export function decodePcmu(bytes: Uint8Array): Int16Array {
  return Int16Array.from(bytes, decodeSample);
}

export function pcmToBase64(samples: Int16Array): string {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');
}

/** An odd last byte is half a sample, and is dropped. */
export function pcmFromBase64(text: string): Int16Array {
  const bytes = Buffer.from(text, 'base64');
  return Int16Array.from({ length: Math.floor(bytes.length / 2) }, (_, at) => bytes.readInt16LE(2 * at));
}

function encodeSample(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  const segment = 24 - Math.clz32(magnitude);
  const place = (magnitude >> (segment + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | place) & 0xff;
}

function decodeSample(byte: number): number {
  const bits = ~byte & 0xff;
  const segment = (bits >> 4) & 0x07;
  const magnitude = ((((bits & 0x0f) << 3) + BIAS) << segment) - BIAS;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}
