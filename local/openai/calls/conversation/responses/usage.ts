/**
 * The usage of a response. The whole context is charged as input each time; the part of it that the previous response had as well,
 * counted from the beginning, is cached. A changed item ends that part, and so do changed instructions or tools.
 */

import type { RealtimeResponseUsage } from 'openai/resources/realtime/realtime.js';
import type { StoredItem } from '../items/items.ts';
import { NO_TOKENS, sum, type Tokens, textTokens, tokensOf } from './tokens.ts';

/** A piece of the context of a response. Two with the same key have the same content. */
export interface Segment {
  readonly key: string;
  readonly tokens: Tokens;
}

export function segmentsOf(instructions: string, tools: readonly object[], items: readonly StoredItem[]): Segment[] {
  const prompt = `${instructions}${tools.length === 0 ? '' : JSON.stringify(tools)}`;
  return [{ key: prompt, tokens: { ...NO_TOKENS, text: textTokens(prompt) } }, ...items.map(segmentOf)];
}

export function segmentOf(stored: StoredItem): Segment {
  const tokens = tokensOf(stored);
  // A truncated item keeps its id, but has fewer tokens.
  return { key: `${stored.item.id} ${tokens.text} ${tokens.audio}`, tokens };
}

/** @param previous the context of the previous response, and what it added */
export function usageOf(
  context: readonly Segment[],
  previous: readonly Segment[],
  output: Tokens,
): Required<RealtimeResponseUsage> {
  const changed = context.findIndex(({ key }, index) => key !== previous[index]?.key);
  const input = sum(context.map(({ tokens }) => tokens));
  const cached = sum((changed === -1 ? context : context.slice(0, changed)).map(({ tokens }) => tokens));
  return {
    total_tokens: total(input) + total(output),
    input_tokens: total(input),
    output_tokens: total(output),
    input_token_details: {
      text_tokens: input.text,
      audio_tokens: input.audio,
      image_tokens: input.image,
      cached_tokens: total(cached),
      cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: cached.image },
    },
    output_token_details: { text_tokens: output.text, audio_tokens: output.audio },
  };
}

function total({ text, audio, image }: Tokens): number {
  return text + audio + image;
}
