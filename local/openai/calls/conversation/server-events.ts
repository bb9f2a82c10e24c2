/**
 * The events that the stand-in sends, with the types of the npm package `openai` (7.60.0, resources/realtime/realtime.d.ts),
 * except that OpenAI sends null where those types say that a field may be absent.
 */

import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime.js';
import type { Refusal } from '../../api/errors.ts';

/** T as it is on the wire: every optional field can also be null. */
export type Wire<T> = T extends readonly (infer Element)[]
  ? readonly Wire<Element>[]
  : T extends object
    ? {
        readonly [Field in keyof T]: Record<never, never> extends Pick<T, Field>
          ? Wire<T[Field]> | null
          : Wire<T[Field]>;
      }
    : T;

export type ServerEvent = Wire<RealtimeServerEvent>;

type WithoutId<Event> = Event extends { readonly event_id: string } ? Omit<Event, 'event_id'> : never;

/** An event before it gets its id. */
export type OutgoingEvent = WithoutId<ServerEvent>;

/** Sends an event to everybody who listens to the conversation. */
export type Send = (event: OutgoingEvent) => void;

/** @param eventId the id that the client gave to the invalid event, if any */
export function errorEvent({ message, code, param }: Refusal, eventId: string | null): OutgoingEvent {
  const error = { type: 'invalid_request_error', code: code ?? null, message, param: param ?? null, event_id: eventId };
  return { type: 'error', error };
}
