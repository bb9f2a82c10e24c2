/**
 * A message that a response generates, word by word: as text, or as audio with a transcript. A piece of audio has 100 ms, and
 * pieces of audio and words of the transcript alternate.
 */

import { toBase64 } from '../../audio-formats.ts';
import { joined, samplesIn, spoken, wordsOf } from '../../voice.ts';
import { NO_AUDIO, type StoredItem } from '../items/items.ts';
import type { FinalStatus, Output, OutputItem } from './output-item.ts';
import type { Reply } from './reply.ts';
import { NO_TOKENS, outputAudioTokens, type Tokens, textTokens } from './tokens.ts';

const PIECE = samplesIn(100);
/** A response has one item, which has one part. */
const FIRST = { output_index: 0, content_index: 0 } as const;

export function messageOutput(output: Output, reply: Extract<Reply, { kind: 'message' }>): OutputItem {
  const { itemId, responseId, modality } = output;
  const words = wordsOf(reply.text);
  const voice = modality === 'audio' ? piecesOf(reply.voice ?? spoken(reply.text)) : [];
  const length = Math.max(words.length, voice.length);
  const part = { response_id: responseId, item_id: itemId, ...FIRST };
  const writer = modality === 'audio' ? audioWriter(output, part) : textWriter(output, part);
  let pieces = 0;

  const textUntil = (count: number) => words.slice(0, count).join('');
  const audioUntil = (count: number) => joined(voice.slice(0, count));

  function tokensUntil(count: number): Tokens {
    return { ...NO_TOKENS, text: textTokens(textUntil(count)), audio: outputAudioTokens(audioUntil(count)) };
  }

  function item(status: FinalStatus | 'in_progress', content: readonly object[]): StoredItem['item'] {
    return { id: itemId, object: 'realtime.item', type: 'message', role: 'assistant', status, content };
  }

  return {
    begun: item('in_progress', []),
    open: () => writer.open(),
    next(limit) {
      if (pieces === length) {
        return 'complete';
      }
      const { text, audio } = tokensUntil(pieces + 1);
      if (text + audio > limit) {
        return 'limit';
      }
      writer.write(words[pieces], voice[pieces]);
      pieces += 1;
      return 'more';
    },
    close: () => writer.close(textUntil(pieces)),
    finished: (status) => ({
      item: item(status, [writer.content(textUntil(pieces))]),
      audio: modality === 'audio' ? new Map([[0, audioUntil(pieces)]]) : NO_AUDIO,
    }),
    tokens: () => tokensUntil(pieces),
  };
}

function piecesOf(samples: Int16Array): readonly Int16Array[] {
  const count = Math.ceil(samples.length / PIECE);
  return Array.from({ length: count }, (_, index) => samples.subarray(index * PIECE, (index + 1) * PIECE));
}

/** The events of one part of a message. */
interface Writer {
  readonly open: () => void;
  readonly write: (word: string | undefined, samples: Int16Array | undefined) => void;
  readonly close: (text: string) => void;
  readonly content: (text: string) => object;
}

type Part = { readonly response_id: string; readonly item_id: string } & typeof FIRST;

function textWriter({ send }: Output, part: Part): Writer {
  return {
    open: () => send({ type: 'response.content_part.added', ...part, part: { type: 'text', text: '' } }),
    write(word) {
      if (word !== undefined) {
        send({ type: 'response.output_text.delta', ...part, delta: word });
      }
    },
    close(text) {
      send({ type: 'response.output_text.done', ...part, text });
      send({ type: 'response.content_part.done', ...part, part: { type: 'text', text } });
    },
    content: (text) => ({ type: 'output_text', text }),
  };
}

function audioWriter({ send, speak, format }: Output, part: Part): Writer {
  return {
    open: () => send({ type: 'response.content_part.added', ...part, part: { type: 'audio', transcript: '' } }),
    write(word, samples) {
      if (word !== undefined) {
        send({ type: 'response.output_audio_transcript.delta', ...part, delta: word });
      }
      if (samples !== undefined && speak(samples)) {
        send({ type: 'response.output_audio.delta', ...part, delta: toBase64(samples, format) });
      }
    },
    close(transcript) {
      send({ type: 'response.output_audio.done', ...part });
      send({ type: 'response.output_audio_transcript.done', ...part, transcript });
      send({ type: 'response.content_part.done', ...part, part: { type: 'audio', transcript } });
    },
    content: (transcript) => ({ type: 'output_audio', transcript }),
  };
}
