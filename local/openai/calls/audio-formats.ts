/** The audio formats of the Realtime API. The stand-in keeps audio as audio/pcm, and converts it where it enters and leaves. */

import { A_LAW, G711_RATE, type Law, MU_LAW } from './g711.ts';
import { PCM_RATE } from './voice.ts';

export type AudioFormat = 'audio/pcm' | 'audio/pcmu' | 'audio/pcma';

const RATIO = PCM_RATE / G711_RATE;

/** 16 bits, little-endian. An odd last byte is half a sample, and is dropped. */
const PCM: Law = {
  encode: (samples) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength),
  decode: (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Int16Array.from({ length: bytes.length >> 1 }, (_, at) => view.getInt16(2 * at, true));
  },
};

const FORMATS: Readonly<Record<AudioFormat, Law>> = {
  'audio/pcm': PCM,
  'audio/pcmu': atPcmRate(MU_LAW),
  'audio/pcma': atPcmRate(A_LAW),
};

/** @param samples at the rate of audio/pcm */
export function encodeAudio(samples: Int16Array, format: AudioFormat): Buffer {
  return FORMATS[format].encode(samples);
}

/** @returns samples at the rate of audio/pcm */
export function decodeAudio(bytes: Uint8Array, format: AudioFormat): Int16Array {
  return FORMATS[format].decode(bytes);
}

export function toBase64(samples: Int16Array, format: AudioFormat): string {
  return encodeAudio(samples, format).toString('base64');
}

/** Buffer.from alone would skip invalid characters. */
const BASE64 = /^[\w+/-]*={0,2}$/;

/** @returns undefined if the text is not base64 */
export function fromBase64(text: string, format: AudioFormat): Int16Array | undefined {
  return BASE64.test(text) ? decodeAudio(Buffer.from(text, 'base64'), format) : undefined;
}

/** Takes every third sample, and repeats each three times. No filter is needed, because a tone is below 4 kHz. */
function atPcmRate({ encode, decode }: Law): Law {
  return {
    encode: (samples) => encode(samples.filter((_, at) => at % RATIO === 0)),
    decode: (bytes) => {
      const slow = decode(bytes);
      return Int16Array.from({ length: slow.length * RATIO }, (_, at) => slow[Math.floor(at / RATIO)] ?? 0);
    },
  };
}
