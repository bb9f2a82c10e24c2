/**
 * Audio in the format of OpenAI's WebSocket: 24,000 samples a second, 16 bits, little-endian, one channel, base64.
 * Source: OpenAI, "Realtime API with WebSocket", `audio/pcm`.
 */

export const PCM_RATE = 24_000;

/** @param samples from -1 to 1; values outside are clipped */
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
 * Converts from the microphone's rate to {@link PCM_RATE}. Each output sample is the mean of the input samples that fall into
 * it: half a second at 48,000 becomes half a second at 24,000, no matter how the input is split into blocks.
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
