/**
 * What both sides say, out of OpenAI's Realtime events, in the order of the conversation: what a visitor said is written
 * down only after the model has begun to answer it. Pure; bounded in number.
 */
import type { RealtimeEvent } from '../../client/transport/realtime-event.ts';

export interface Caption {
  /** OpenAI's name of the item. */
  readonly id: string;
  readonly speaker: 'visitor' | 'model';
  readonly text: string;
  /** Nothing more comes. */
  readonly finished: boolean;
}

export type Captions = readonly Caption[];

/** A talk of ten minutes has fewer. */
export const MOST_CAPTIONS = 60;

export function captionsAfter(captions: Captions, event: RealtimeEvent): Captions {
  switch (event.type) {
    case 'conversation.item.added':
    case 'conversation.item.created':
      return withPlace(captions, event);
    case 'conversation.item.input_audio_transcription.delta':
      return withMore(captions, event, 'visitor');
    case 'conversation.item.input_audio_transcription.completed':
      return withAll(captions, event, 'visitor', event['transcript']);
    case 'response.output_audio_transcript.delta':
    case 'response.output_text.delta':
      return withMore(captions, event, 'model');
    case 'response.output_audio_transcript.done':
      return withAll(captions, event, 'model', event['transcript']);
    case 'response.output_text.done':
      return withAll(captions, event, 'model', event['text']);
    default:
      return captions;
  }
}

/** Of a connection that is gone nothing more comes. */
export function captionsAtEnd(captions: Captions): Captions {
  return captions.map((caption) => ({ ...caption, finished: true }));
}

/** An item of the conversation takes its place before a word of it is known. */
function withPlace(captions: Captions, event: RealtimeEvent): Captions {
  const { id, type, role } = fieldsOf(event['item']);
  if (typeof id !== 'string' || type !== 'message' || captions.some((caption) => caption.id === id)) {
    return captions;
  }
  const previous = captions.findIndex((caption) => caption.id === event['previous_item_id']);
  const place = previous === -1 ? captions.length : previous + 1;
  const speaker = role === 'assistant' ? 'model' : 'visitor';
  return captions.toSpliced(place, 0, { id, speaker, text: '', finished: false }).slice(-MOST_CAPTIONS);
}

function withMore(captions: Captions, event: RealtimeEvent, speaker: Caption['speaker']): Captions {
  const { item_id: id, delta } = event;
  return typeof id === 'string' && typeof delta === 'string'
    ? withItem(captions, id, speaker, (item) => ({ ...item, text: item.text + delta }))
    : captions;
}

/** The whole text, which may correct what came in pieces. */
function withAll(captions: Captions, event: RealtimeEvent, speaker: Caption['speaker'], text: unknown): Captions {
  const { item_id: id } = event;
  return typeof id === 'string' && typeof text === 'string'
    ? withItem(captions, id, speaker, (item) => ({ ...item, text, finished: true }))
    : captions;
}

function withItem(
  captions: Captions,
  id: string,
  speaker: Caption['speaker'],
  change: (item: Caption) => Caption,
): Captions {
  return captions.some((caption) => caption.id === id)
    ? captions.map((caption) => (caption.id === id ? change(caption) : caption))
    : [...captions, change({ id, speaker, text: '', finished: false })].slice(-MOST_CAPTIONS);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
