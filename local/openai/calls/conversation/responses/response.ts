/**
 * One response, from `response.created` to `response.done`. Its events come in the order of OpenAI's guide to Realtime
 * conversations:
 *
 *     response.created, rate_limits.updated
 *     response.output_item.added, conversation.item.added     the second only for an item of the conversation
 *     response.content_part.added                             and output_audio_buffer.started, over WebRTC
 *     response.….delta                                        over and over
 *     response.….done, response.content_part.done
 *     response.output_item.done, conversation.item.done
 *     response.done                                           and output_audio_buffer.stopped, over WebRTC
 */

import { newId } from '../../../api/ids.ts';
import type { ItemEvents } from '../items/item-events.ts';
import type { Items } from '../items/items.ts';
import type { OutgoingEvent, Send } from '../server-events.ts';
import { type OutputItem, outputItem } from './output-item.ts';
import { type Reply, replyTo } from './reply.ts';
import type { ResponseSettings } from './response-settings.ts';
import { type Segment, segmentOf, segmentsOf, usageOf } from './usage.ts';

export type CancelReason = 'turn_detected' | 'client_cancelled';

type Resource = Extract<OutgoingEvent, { type: 'response.done' }>['response'];
type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' }
  | { readonly status: 'cancelled'; readonly reason: CancelReason };

export interface Response {
  readonly id: string;
  readonly isOutOfBand: boolean;
  readonly start: () => void;
  /** Generates the next piece, or ends the response. @returns whether it continues */
  readonly advance: () => boolean;
  readonly cancel: (reason: CancelReason) => void;
}

export interface ResponseOptions {
  readonly send: Send;
  readonly items: Items;
  readonly itemEvents: ItemEvents;
  readonly conversationId: string;
  readonly settings: ResponseSettings;
  /** @default by the rules of reply.ts */
  readonly reply?: Reply;
  /** Takes the audio on its way to the caller. @returns whether it must be sent as an event as well */
  readonly speak: (responseId: string, itemId: string, samples: Int16Array) => boolean;
  readonly rateLimits: () => OutgoingEvent;
  /** The context of the previous response, and what it added. */
  readonly previous: readonly Segment[];
  /** Called once, after `response.done`. @param seen what is cached for the next response */
  readonly onDone: (response: Response, totalTokens: number, seen: readonly Segment[]) => void;
}

export function createResponse(options: ResponseOptions): Response {
  const { send, items, itemEvents, settings, speak, previous, onDone } = options;
  const id = newId('resp');
  const itemId = newId('item');
  const context = segmentsOf(settings.instructions, settings.tools, settings.context);
  const limit = settings.maxOutputTokens === 'inf' ? Number.POSITIVE_INFINITY : settings.maxOutputTokens;
  const output: OutputItem = outputItem(
    {
      send,
      responseId: id,
      itemId,
      modality: settings.modality,
      format: settings.format.type,
      speak: (samples) => speak(id, itemId, samples),
    },
    options.reply ?? replyTo(settings),
  );

  function resource(rest: Pick<Resource, 'status' | 'status_details' | 'output' | 'usage'>): Resource {
    const voice = typeof settings.voice === 'string' ? settings.voice : settings.voice.id;
    return {
      object: 'realtime.response',
      id,
      conversation_id: settings.isOutOfBand ? null : options.conversationId,
      output_modalities: [settings.modality],
      max_output_tokens: settings.maxOutputTokens,
      audio: { output: { format: settings.format, voice } },
      metadata: settings.metadata,
      ...rest,
    };
  }

  function start(): void {
    const response = resource({ status: 'in_progress', status_details: null, output: [], usage: null });
    send({ type: 'response.created', response });
    send(options.rateLimits());
    send({ type: 'response.output_item.added', response_id: id, output_index: 0, item: output.begun });
    if (!settings.isOutOfBand) {
      items.insert({ item: output.begun, audio: new Map() });
      itemEvents.added(output.begun);
    }
    output.open();
  }

  function advance(): boolean {
    switch (output.next(limit)) {
      case 'more':
        return true;
      case 'complete':
        finish({ status: 'completed' });
        return false;
      case 'limit':
        finish({ status: 'incomplete', reason: 'max_output_tokens' });
        return false;
    }
  }

  function finish({ status, ...details }: Outcome): void {
    output.close();
    const stored = output.finished(status === 'completed' ? 'completed' : 'incomplete');
    items.replace(stored);
    send({ type: 'response.output_item.done', response_id: id, output_index: 0, item: stored.item });
    if (items.find(itemId) !== undefined) {
      itemEvents.done(stored.item);
    }
    const status_details = status === 'completed' ? null : { type: status, ...details };
    const usage = usageOf(context, previous, output.tokens());
    send({ type: 'response.done', response: resource({ status, status_details, output: [stored.item], usage }) });
    onDone(self, usage.total_tokens, [...context, segmentOf(stored)]);
  }

  const self: Response = {
    id,
    isOutOfBand: settings.isOutOfBand,
    start,
    advance,
    cancel: (reason) => finish({ status: 'cancelled', reason }),
  };
  return self;
}
