/**
 * One Realtime conversation, independent of its transport, as OpenAI documents it: client-events.ts has what it understands,
 * responses/response.ts what a response sends, and responses/reply.ts what it says.
 *
 * It differs from OpenAI in three ways. It speaks first. It recognises no words: sound is speech, and the transcript is a
 * counter, "Beep 1." (Chromium's fake microphone beeps.) And it contacts no MCP server.
 */

import type { Refusal } from '../../api/errors.ts';
import { newId } from '../../api/ids.ts';
import type { Session } from '../../api/session-settings.ts';
import type { AudioCount, Speaker } from '../line.ts';
import { type ClientEvents, type ClientEventType, parseClientEvent } from './client-events.ts';
import { createHandlers } from './handlers.ts';
import { createTurns } from './input/turns.ts';
import { createItemEvents } from './items/item-events.ts';
import { createItems } from './items/items.ts';
import { createPlayback } from './responses/playback.ts';
import { createResponses } from './responses/responses.ts';
import { errorEvent, type OutgoingEvent, type ServerEvent } from './server-events.ts';
import { createSession } from './session.ts';

export const GREETING = 'Hello, this is the stand-in speaking.';

/** A data channel of Chromium takes messages of up to 256 KiB, so longer audio of a retrieved item is left out. */
const DATA_CHANNEL_LIMIT = 200_000;

export interface Conversation {
  /** Sends the first events, and greets. */
  readonly begin: () => void;
  /** Takes an event from a client, as text. */
  readonly receive: (text: string) => void;
  /** Takes audio of the microphone, at the rate of audio/pcm. */
  readonly hear: (samples: Int16Array) => void;
  /** Everybody who listens gets every event from now on. @returns a function that ends it */
  readonly listen: (listener: (event: ServerEvent) => void) => () => void;
  /** Sends nothing more. */
  readonly end: () => void;
}

export interface ConversationOptions {
  /** The settings of the key. */
  readonly minted: Session;
  /** Undefined where audio is sent as events. */
  readonly speaker?: Speaker | undefined;
  readonly audio: AudioCount;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createConversation({ minted, speaker, audio, now }: ConversationOptions): Conversation {
  const id = newId('conv');
  const listeners = new Set<(event: ServerEvent) => void>();
  const session = createSession(minted, now);
  const items = createItems();
  const audioLimit = speaker === undefined ? Number.POSITIVE_INFINITY : DATA_CHANNEL_LIMIT;
  const itemEvents = createItemEvents({ items, send, formats: session.formats, audioLimit });
  const playback = createPlayback({ send, speaker, clock: () => performance.now() });
  const shared = { send, session: session.current, items, itemEvents, playback };
  const isPlayedHere = speaker !== undefined;
  const responses = createResponses({
    ...shared,
    conversationId: id,
    onAudio() {
      audio.sent += isPlayedHere ? 0 : 1;
      return !isPlayedHere;
    },
    onChange: () => turns.responsesChanged(),
  });
  const turns = createTurns({ ...shared, responses, isPlayedHere, onRefused: (refusal) => refuse(refusal, null) });

  function send(event: OutgoingEvent): void {
    // Spreading a union loses which fields belong to which type.
    const sent = { ...event, event_id: newId('event') } as ServerEvent;
    for (const listener of listeners) {
      listener(sent);
    }
  }

  function begin(): void {
    send({ type: 'session.created', session: session.shown() });
    send({ type: 'conversation.created', conversation: { id, object: 'realtime.conversation' } });
    if (session.current().type === 'realtime') {
      responses.greet(GREETING);
    }
  }

  const handlers = createHandlers({ send, session, responses, turns, itemEvents, isPlayedHere, audio });

  function handle<Type extends ClientEventType>(type: Type, event: ClientEvents[Type]): Refusal | undefined {
    return handlers[type](event);
  }

  function receive(text: string): void {
    const parsed = parseClientEvent(text);
    if ('refusal' in parsed) {
      refuse(parsed.refusal, parsed.eventId);
      return;
    }
    const { event } = parsed;
    const refusal = handle(event.type, event);
    if (refusal !== undefined) {
      refuse(refusal, event.event_id ?? null);
    }
  }

  function refuse(refusal: Refusal, eventId: string | null): void {
    send(errorEvent(refusal, eventId));
  }

  return {
    begin,
    receive,
    hear: turns.hear,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end() {
      listeners.clear();
      responses.stop();
      turns.end();
      playback.clear();
    },
  };
}
