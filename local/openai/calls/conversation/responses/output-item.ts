/** An item while a response generates it, piece by piece. Each kind has its own events between `added` and `done`. */

import type { AudioFormat } from '../../audio-formats.ts';
import type { Item, StoredItem } from '../items/items.ts';
import type { Send } from '../server-events.ts';
import type { Modality } from '../session.ts';
import { functionCallOutput } from './function-call-output.ts';
import { messageOutput } from './message-output.ts';
import type { Reply } from './reply.ts';
import type { Tokens } from './tokens.ts';

export type FinalStatus = 'completed' | 'incomplete';

export interface OutputItem {
  /** As it is added, still without content. */
  readonly begun: Item;
  readonly open: () => void;
  /** Generates the next piece, unless the item would then have more tokens than the limit. */
  readonly next: (limit: number) => 'more' | 'complete' | 'limit';
  /** Ends the item with the pieces so far. */
  readonly close: () => void;
  readonly finished: (status: FinalStatus) => StoredItem;
  readonly tokens: () => Tokens;
}

/** What an output item needs of its response. */
export interface Output {
  readonly send: Send;
  readonly responseId: string;
  readonly itemId: string;
  readonly modality: Modality;
  readonly format: AudioFormat;
  /** Takes the audio on its way to the caller. @returns whether it must be sent as an event as well */
  readonly speak: (samples: Int16Array) => boolean;
}

export function outputItem(output: Output, reply: Reply): OutputItem {
  return reply.kind === 'message' ? messageOutput(output, reply) : functionCallOutput(output, reply);
}
