/**
 * How many tokens an item counts. Audio is exact: a token is 100 ms of what the user says, and 50 ms of what the assistant says.
 * Text is an estimate of four characters a token, where OpenAI's tokenizer depends on the language; so is an image, of any size.
 */

import { durationMs } from '../../voice.ts';
import type { StoredItem } from '../items/items.ts';

export interface Tokens {
  readonly text: number;
  readonly audio: number;
  readonly image: number;
}

export const NO_TOKENS: Tokens = { text: 0, audio: 0, image: 0 };

const CHARACTERS_PER_TOKEN = 4;
const INPUT_MS_PER_TOKEN = 100;
const OUTPUT_MS_PER_TOKEN = 50;
const IMAGE_TOKENS = 500;

export function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

export function inputAudioTokens(samples: Int16Array): number {
  return Math.ceil(durationMs(samples) / INPUT_MS_PER_TOKEN);
}

export function outputAudioTokens(samples: Int16Array): number {
  return Math.ceil(durationMs(samples) / OUTPUT_MS_PER_TOKEN);
}

export function sum(all: readonly Tokens[]): Tokens {
  return all.reduce(
    (total, { text, audio, image }) => ({
      text: total.text + text,
      audio: total.audio + audio,
      image: total.image + image,
    }),
    NO_TOKENS,
  );
}

/** As input of a response. The transcript of a user's audio is not sent to the model; that of the assistant's is. */
export function tokensOf({ item, audio }: StoredItem): Tokens {
  switch (item.type) {
    case 'message': {
      const isAssistant = item.role === 'assistant';
      const count = isAssistant ? outputAudioTokens : inputAudioTokens;
      const parts = item.content.map((part) => ({
        text: textTokens(part.text ?? (isAssistant && 'transcript' in part ? (part.transcript ?? '') : '')),
        audio: 0,
        image: part.type === 'input_image' ? IMAGE_TOKENS : 0,
      }));
      return sum([
        ...parts,
        { ...NO_TOKENS, audio: [...audio.values()].reduce((total, samples) => total + count(samples), 0) },
      ]);
    }
    case 'function_call':
    case 'mcp_call':
    case 'mcp_approval_request':
      return { ...NO_TOKENS, text: textTokens(item.name + item.arguments) };
    case 'function_call_output':
      return { ...NO_TOKENS, text: textTokens(item.output) };
    case 'mcp_list_tools':
      return { ...NO_TOKENS, text: textTokens(JSON.stringify(item.tools)) };
    case 'mcp_approval_response':
      return NO_TOKENS;
  }
}
