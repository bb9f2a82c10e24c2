import { describe, expect, it } from 'vitest';
import { decodeAudio, encodeAudio, fromBase64, toBase64 } from '../../../local/openai/calls/audio-formats.ts';
import { A_LAW, MU_LAW } from '../../../local/openai/calls/g711.ts';
import { durationMs, tone } from '../../../local/openai/calls/voice.ts';

const SAMPLES = Int16Array.of(0, 1, -1, 8, 100, -100, 1_000, -1_000, 12_345, -12_345, 32_635, -32_635, 32_767, -32_768);

/** As audioop of Python 3.11 encodes them. */
it.each([
  ['µ-law', MU_LAW, [0, 1_000, -1_000, 32_767, -32_768], ['ff', 'ce', '4e', '80', '00']],
  ['A-law', A_LAW, [0, 1_000, -1_000, 32_767, -32_768], ['d5', 'fa', '7a', 'aa', '2a']],
])('%s encodes known samples', (_name, law, samples, bytes) => {
  expect([...law.encode(Int16Array.from(samples))].map((byte) => byte.toString(16).padStart(2, '0'))).toEqual(bytes);
});

describe.each([
  ['µ-law', MU_LAW],
  ['A-law', A_LAW],
])('%s', (_name, law) => {
  it('loses at most a sixteenth of a sample, or 16', () => {
    const decoded = law.decode(law.encode(SAMPLES));
    for (const [at, sample] of SAMPLES.entries()) {
      expect(Math.abs((decoded[at] ?? 0) - sample)).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16));
    }
  });

  it('gives every byte back that it has decoded', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const again = law.encode(law.decode(bytes));
    // µ-law has two zeros, of which it writes one.
    expect([...again].filter((byte, at) => byte !== at && at !== 0x7f)).toEqual([]);
  });
});

describe.each(['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const)('%s', (format) => {
  it('keeps the length of the audio', () => {
    expect(durationMs(decodeAudio(encodeAudio(tone(120), format), format))).toBe(120);
  });

  it('is read from a part of a larger buffer', () => {
    const bytes = encodeAudio(tone(20), format);
    const within = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
    expect(decodeAudio(within, format)).toEqual(decodeAudio(bytes, format));
  });
});

it('base64 comes back as it was, and anything else is refused', () => {
  expect(fromBase64(toBase64(SAMPLES, 'audio/pcm'), 'audio/pcm')).toEqual(SAMPLES);
  expect(fromBase64('a b', 'audio/pcm')).toBeUndefined();
});
