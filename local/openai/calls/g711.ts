/**
 * ITU-T G.711, one byte a sample: µ-law, which browsers offer as PCMU, and A-law. It takes a few lines of code, where Opus would
 * take a library.
 */

/** The only sample rate of G.711. */
export const G711_RATE = 8_000;

/** A pair of conversions between 16-bit samples and bytes. */
export interface Law {
  readonly encode: (samples: Int16Array) => Buffer;
  readonly decode: (bytes: Uint8Array) => Int16Array;
}

const BIAS = 0x84;
const CLIP = 32_635;

/** The sign, three bits for the segment, four bits for the position in it; all bits inverted. */
export const MU_LAW: Law = {
  encode: (samples) => Buffer.from(Uint8Array.from(samples, encodeMu)),
  decode: (bytes) => Int16Array.from(bytes, decodeMu),
};

/** As µ-law, but without its bias, with 1 for a positive sign, and every second bit inverted. */
export const A_LAW: Law = {
  encode: (samples) => Buffer.from(Uint8Array.from(samples, encodeA)),
  decode: (bytes) => Int16Array.from(bytes, decodeA),
};

function encodeMu(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  const segment = 24 - Math.clz32(magnitude);
  const place = (magnitude >> (segment + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | place) & 0xff;
}

function decodeMu(byte: number): number {
  const bits = ~byte & 0xff;
  const segment = (bits >> 4) & 0x07;
  const magnitude = ((((bits & 0x0f) << 3) + BIAS) << segment) - BIAS;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}

function encodeA(sample: number): number {
  const magnitude = Math.min(sample < 0 ? ~sample : sample, CLIP);
  const segment = Math.max(0, 24 - Math.clz32(magnitude));
  const place = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | place) ^ 0x55;
}

function decodeA(byte: number): number {
  const bits = byte ^ 0x55;
  const segment = (bits >> 4) & 0x07;
  const place = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? place : (place + 0x100) << (segment - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}
