/**
 * Sound as OpenAI's WebSocket takes and gives it: 24,000 samples a second, 16 bits, little-endian, one channel, base64.
 * Source: OpenAI, "Realtime API with WebSocket", `audio/pcm`.
 */

export const PCM_RATE = 24_000;

/** @param samples from -1 to 1; louder ones are cut off */
export function encodePcm(samples: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, index) => {
    bytes.setInt16(index * 2, Math.max(-1, Math.min(1, sample)) * 0x7fff, true);
  });
  let text = '';
  for (let index = 0; index < bytes.byteLength; index += 1) {
    text += String.fromCharCode(bytes.getUint8(index));
  }
  return btoa(text);
}

/** @throws DOMException if the text is not base64 */
export function decodePcm(base64: string): Float32Array<ArrayBuffer> {
  const text = atob(base64);
  const samples = new Float32Array(text.length >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    // The shifts keep the sign of the high byte.
    const value = ((text.charCodeAt(index * 2 + 1) << 24) >> 16) | text.charCodeAt(index * 2);
    samples[index] = value / 0x8000;
  }
  return samples;
}

/**
 * From the microphone's rate to {@link PCM_RATE}, by the mean of the samples that fall into each one: half a second of
 * 48,000 becomes half a second of 24,000, whatever the blocks are that it comes in.
 */
export function createResampler(fromRate: number): (block: Float32Array) => Float32Array {
  const step = fromRate / PCM_RATE;
  let sum = 0;
  let count = 0;
  let position = 0;
  return (block) => {
    const out: number[] = [];
    for (const sample of block) {
      sum += sample;
      count += 1;
      position += 1;
      for (; position >= step; position -= step) {
        out.push(sum / Math.max(1, count));
        [sum, count] = position - step >= step ? [sample, 1] : [0, 0];
      }
    }
    return Float32Array.from(out);
  };
}
