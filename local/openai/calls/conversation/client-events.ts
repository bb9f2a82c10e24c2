/**
 * The events that a client can send, as the npm package `openai` (7.60.0, resources/realtime/realtime.d.ts) lists them, and
 * the fields of each. If a later version adds an event or a field, this file does not compile until it is added here.
 */

import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime.js';
import { parseJsonObject } from '../../../http/json-object.ts';
import { invalidValue, type Refusal } from '../../api/errors.ts';
import { refusalOfMissing, refusalOfShape, type ShapeOf } from '../../api/object-shapes.ts';

export type ClientEventType = RealtimeClientEvent['type'];
export type ClientEvents = { readonly [Type in ClientEventType]: Extract<RealtimeClientEvent, { type: Type }> };

interface Form<Event> {
  readonly shape: ShapeOf<Event>;
  readonly required: readonly (keyof Event & string)[];
}

const EVENT = { type: ['string'], event_id: ['string'] } as const;

const FORMS = {
  'session.update': { shape: { ...EVENT, session: ['object'] }, required: ['session'] },
  'input_audio_buffer.append': { shape: { ...EVENT, audio: ['string'] }, required: ['audio'] },
  'input_audio_buffer.commit': { shape: EVENT, required: [] },
  'input_audio_buffer.clear': { shape: EVENT, required: [] },
  'output_audio_buffer.clear': { shape: EVENT, required: [] },
  'conversation.item.create': {
    shape: { ...EVENT, item: ['object'], previous_item_id: ['string', 'null'] },
    required: ['item'],
  },
  'conversation.item.retrieve': { shape: { ...EVENT, item_id: ['string'] }, required: ['item_id'] },
  'conversation.item.truncate': {
    shape: { ...EVENT, item_id: ['string'], content_index: ['integer'], audio_end_ms: ['integer'] },
    required: ['item_id', 'content_index', 'audio_end_ms'],
  },
  'conversation.item.delete': { shape: { ...EVENT, item_id: ['string'] }, required: ['item_id'] },
  'response.create': { shape: { ...EVENT, response: ['object', 'null'] }, required: [] },
  'response.cancel': { shape: { ...EVENT, response_id: ['string', 'null'] }, required: [] },
} as const satisfies { readonly [Type in ClientEventType]: Form<ClientEvents[Type]> };

type Parsed =
  | { readonly event: RealtimeClientEvent }
  | { readonly refusal: Refusal /** As the client sent it. */; readonly eventId: string | null };

/** Checks the fields of the event itself. What they contain is checked by whoever handles the event. */
export function parseClientEvent(text: string): Parsed {
  const sent = parseJsonObject(text);
  if (sent === undefined) {
    return { refusal: { message: 'The event is not a JSON object.', code: 'invalid_event' }, eventId: null };
  }
  const refusal = refusalOfEvent(sent);
  // Without a refusal, the event has the fields of its type.
  return refusal === undefined
    ? { event: sent as unknown as RealtimeClientEvent }
    : { refusal, eventId: typeof sent['event_id'] === 'string' ? sent['event_id'] : null };
}

function refusalOfEvent(sent: Readonly<Record<string, unknown>>): Refusal | undefined {
  const type = sent['type'];
  if (type === undefined) {
    return { message: "The 'type' field is missing.", code: 'invalid_event' };
  }
  if (!isClientEventType(type)) {
    const supported = Object.keys(FORMS).map((name) => `'${name}'`);
    return invalidValue('type', type, supported.join(', '));
  }
  const { shape, required } = FORMS[type];
  return refusalOfShape(sent, shape) ?? refusalOfMissing(sent, required);
}

function isClientEventType(type: unknown): type is ClientEventType {
  return typeof type === 'string' && Object.hasOwn(FORMS, type);
}
