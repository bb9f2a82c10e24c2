/** A function call that a response generates. Its arguments are streamed, as text that is not yet valid JSON. */

import { newId } from '../../../api/ids.ts';
import { NO_AUDIO, type StoredItem } from '../items/items.ts';
import type { FinalStatus, Output, OutputItem } from './output-item.ts';
import type { Reply } from './reply.ts';
import { NO_TOKENS, type Tokens, textTokens } from './tokens.ts';

const PIECE = 8;

export function functionCallOutput(
  { send, itemId, responseId }: Output,
  { name, arguments: whole }: Extract<Reply, { kind: 'function_call' }>,
): OutputItem {
  const callId = newId('call');
  const call = { response_id: responseId, item_id: itemId, output_index: 0, call_id: callId };
  let written = '';

  function tokensOf(text: string): Tokens {
    return { ...NO_TOKENS, text: textTokens(name + text) };
  }

  function item(status: FinalStatus | 'in_progress'): StoredItem['item'] {
    return {
      id: itemId,
      object: 'realtime.item',
      type: 'function_call',
      status,
      name,
      call_id: callId,
      arguments: written,
    };
  }

  return {
    begun: item('in_progress'),
    // A function call has no parts.
    open: () => undefined,
    next(limit) {
      if (written.length === whole.length) {
        return 'complete';
      }
      const delta = whole.slice(written.length, written.length + PIECE);
      if (tokensOf(written + delta).text > limit) {
        return 'limit';
      }
      written += delta;
      send({ type: 'response.function_call_arguments.delta', ...call, delta });
      return 'more';
    },
    close: () => send({ type: 'response.function_call_arguments.done', ...call, name, arguments: written }),
    finished: (status) => ({ item: item(status), audio: NO_AUDIO }),
    tokens: () => tokensOf(written),
  };
}
