/**
 * One Realtime conversation, independent of its transport: it sends a greeting, detects speech, transcribes both sides, and
 * answers. The events have the types of the npm package `openai` (7.59.0, resources/realtime/realtime.d.ts).
 *
 * It does not recognise words. Audio above a threshold is speech, 300 ms below it end the speech, and the transcript is a
 * counter: "Beep 1." Chromium's fake microphone beeps every half second, so each beep gets a transcript and an answer.
 */

import { randomBytes } from 'node:crypto';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime.js';
import { parseJsonObject } from '../../http/json-object.ts';
import type { Session } from '../api/session-settings.ts';
import { PCM_RATE, pcmFromBase64, pcmToBase64, tone } from './voice.ts';

/** The connection of a conversation. */
export interface Line {
  readonly send: (event: RealtimeServerEvent) => void;
  /** Plays samples at {@link PCM_RATE}. Undefined for a WebSocket, which sends audio as events. */
  readonly play?: (samples: Int16Array) => void;
  /** Breaks the connection; the other side sees this at once. */
  readonly drop: () => void;
  /** Sends nothing more; the other side must detect this by itself. */
  readonly vanish: () => void;
  /** Closes the connection as OpenAI does at the end of a session. */
  readonly close: () => void;
}

/** Packets of audio: RTP packets, or events with audio. */
export interface AudioCount {
  received: number;
  sent: number;
}

export interface Conversation {
  readonly begin: () => void;
  /** Takes an event from the client, as text. */
  readonly receive: (text: string) => void;
  readonly hear: (samples: Int16Array, rate: number) => void;
}

export const GREETING = 'Hello, this is the stand-in speaking.';
const GREETING_MS = 600;
const LOUD = 1_000;
const QUIET_MS = 300;

type OutgoingEvent = RealtimeServerEvent extends infer Event
  ? Event extends { event_id: string }
    ? Omit<Event, 'event_id'>
    : never
  : never;

export function createConversation(line: Line, settings: Session, audio: AudioCount): Conversation {
  let session = settings;
  let heardMs = 0;
  let quietMs = 0;
  let utterances = 0;
  /** The speech in progress. */
  let utterance: { readonly itemId: string; readonly samples: Int16Array[] } | undefined;

  function send(event: OutgoingEvent): void {
    line.send({ ...event, event_id: id('event') } as RealtimeServerEvent);
  }

  function begin(): void {
    send({ type: 'session.created', session: sessionOf(session) });
    respond(GREETING, tone(GREETING_MS));
  }

  function respond(transcript: string, samples?: Int16Array): void {
    const responseId = id('resp');
    const itemId = id('item');
    const part = { response_id: responseId, item_id: itemId, output_index: 0, content_index: 0 };
    const response = { id: responseId, object: 'realtime.response' } as const;
    send({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } });
    for (const delta of transcript.match(/\S+\s*/g) ?? []) {
      send({ type: 'response.output_audio_transcript.delta', ...part, delta });
    }
    if (samples !== undefined && line.play !== undefined) {
      line.play(samples);
    } else if (samples !== undefined) {
      send({ type: 'response.output_audio.delta', ...part, delta: pcmToBase64(samples) });
      audio.sent += 1;
      send({ type: 'response.output_audio.done', ...part });
    }
    send({ type: 'response.output_audio_transcript.done', ...part, transcript });
    const content = [{ type: 'output_audio', transcript } as const];
    const item = { id: itemId, type: 'message', role: 'assistant', status: 'completed', content } as const;
    send({ type: 'response.done', response: { ...response, status: 'completed', output: [{ ...item, content }] } });
  }

  function hear(samples: Int16Array, rate: number): void {
    const durationMs = (samples.length / rate) * 1000;
    heardMs += durationMs;
    if (samples.some((sample) => Math.abs(sample) > LOUD)) {
      quietMs = 0;
      if (utterance === undefined) {
        utterance = { itemId: id('item'), samples: [] };
        const at = Math.round(heardMs - durationMs);
        send({ type: 'input_audio_buffer.speech_started', item_id: utterance.itemId, audio_start_ms: at });
      }
    } else {
      quietMs += durationMs;
    }
    utterance?.samples.push(samples);
    if (utterance !== undefined && quietMs >= QUIET_MS) {
      endUtterance(utterance.itemId, utterance.samples);
      utterance = undefined;
    }
  }

  function endUtterance(itemId: string, samples: readonly Int16Array[]): void {
    utterances += 1;
    const transcript = `Beep ${utterances}.`;
    const item = { item_id: itemId, content_index: 0 };
    send({ type: 'input_audio_buffer.speech_stopped', item_id: itemId, audio_end_ms: Math.round(heardMs) });
    send({ type: 'conversation.item.input_audio_transcription.delta', ...item, delta: transcript });
    const usage = { type: 'duration', seconds: 1 } as const;
    send({ type: 'conversation.item.input_audio_transcription.completed', ...item, transcript, usage });
    // On an audio track, the caller's voice was already sent back while the caller was speaking.
    respond(`I heard beep ${utterances}.`, line.play === undefined ? joined(samples) : undefined);
  }

  function receive(text: string): void {
    const event = parseJsonObject(text);
    switch (event?.['type']) {
      case 'session.update':
        session = { ...session, ...(event['session'] as Partial<Session> | undefined) } as Session;
        send({ type: 'session.updated', session: sessionOf(session) });
        break;
      case 'response.create':
        respond('Yes, I am here.', tone(GREETING_MS));
        break;
      case 'input_audio_buffer.append':
        audio.received += 1;
        hear(pcmFromBase64(String(event['audio'])), PCM_RATE);
        break;
      case 'input_audio_buffer.clear':
        utterance = undefined;
        send({ type: 'input_audio_buffer.cleared' });
        break;
      // Valid events that have no effect here.
      case 'input_audio_buffer.commit':
      case 'conversation.item.create':
      case 'conversation.item.truncate':
      case 'response.cancel':
      case 'output_audio_buffer.clear':
        break;
      default:
        send({ type: 'error', error: invalidEvent(event) });
    }
  }

  return { begin, receive, hear };
}

/** The event that ends a session after its hour, before the connection is closed. */
export function expiredEvent(): RealtimeServerEvent {
  const message = 'Your session hit the maximum duration of 60 minutes.';
  const error = { type: 'invalid_request_error', code: 'session_expired', message, param: null };
  return { type: 'error', event_id: id('event'), error };
}

function invalidEvent(event: Record<string, unknown> | undefined) {
  const message =
    event === undefined ? 'The event is not a JSON object.' : `Invalid value: '${event['type']}'. Unknown event type.`;
  const eventId = event?.['event_id'];
  return {
    type: 'invalid_request_error',
    code: 'invalid_value',
    message,
    param: 'type',
    event_id: typeof eventId === 'string' ? eventId : null,
  };
}

type SessionOfEvent = Extract<RealtimeServerEvent, { type: 'session.created' }>['session'];

function sessionOf(session: Session): SessionOfEvent {
  return session as SessionOfEvent;
}

function joined(parts: readonly Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

function id(kind: string): string {
  return `${kind}_${randomBytes(10).toString('hex')}`;
}
