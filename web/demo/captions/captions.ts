/**
 * The captions of both sides, from OpenAI's Realtime events, in the order of the conversation. The order of the events
 * differs: the visitor's words are transcribed only after the model has begun to answer. Pure; bounded in number.
 */
import type { RealtimeEvent } from '../../client/transport/realtime-event.ts';

export interface Caption {
  /** OpenAI's id of the conversation item. */
  readonly id: string;
  readonly speaker: 'visitor' | 'model';
  readonly text: string;
  /** The text is final. */
  readonly finished: boolean;
}

export type Captions = readonly Caption[];

/** A conversation of ten minutes has fewer. */
export const MAX_CAPTIONS = 60;

export function captionsAfter(captions: Captions, event: RealtimeEvent): Captions {
  switch (event.type) {
    case 'conversation.item.added':
    case 'conversation.item.created':
      return withNewItem(captions, event);
    case 'conversation.item.input_audio_transcription.delta':
      return withDelta(captions, event, 'visitor');
    case 'conversation.item.input_audio_transcription.completed':
      return withWholeText(captions, event, 'visitor', event['transcript']);
    case 'response.output_audio_transcript.delta':
    case 'response.output_text.delta':
      return withDelta(captions, event, 'model');
    case 'response.output_audio_transcript.done':
      return withWholeText(captions, event, 'model', event['transcript']);
    case 'response.output_text.done':
      return withWholeText(captions, event, 'model', event['text']);
    default:
      return captions;
  }
}

/** After the connection has ended, every text is final. */
export function captionsAtEnd(captions: Captions): Captions {
  return captions.map((caption) => ({ ...caption, finished: true }));
}

/** Adds an item of the conversation in its place, before its text is known. */
function withNewItem(captions: Captions, event: RealtimeEvent): Captions {
  const { id, type, role } = fieldsOf(event['item']);
  if (typeof id !== 'string' || type !== 'message' || captions.some((caption) => caption.id === id)) {
    return captions;
  }
  const previous = captions.findIndex((caption) => caption.id === event['previous_item_id']);
  const place = previous === -1 ? captions.length : previous + 1;
  const speaker = role === 'assistant' ? 'model' : 'visitor';
  return captions.toSpliced(place, 0, { id, speaker, text: '', finished: false }).slice(-MAX_CAPTIONS);
}

function withDelta(captions: Captions, event: RealtimeEvent, speaker: Caption['speaker']): Captions {
  const { item_id: id, delta } = event;
  return typeof id === 'string' && typeof delta === 'string'
    ? withItem(captions, id, speaker, (item) => ({ ...item, text: item.text + delta }))
    : captions;
}

/** Replaces the pieces received so far with the whole text, which may correct them. */
function withWholeText(captions: Captions, event: RealtimeEvent, speaker: Caption['speaker'], text: unknown): Captions {
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
    : [...captions, change({ id, speaker, text: '', finished: false })].slice(-MAX_CAPTIONS);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
