/** A conversation without a connection, on fake timers: what a client sends, and what it receives. */
import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime.js';
import { onTestFinished, vi } from 'vitest';
import type { Session } from '../../../../local/openai/api/session-settings.ts';
import { toBase64 } from '../../../../local/openai/calls/audio-formats.ts';
import { createConversation } from '../../../../local/openai/calls/conversation/conversation.ts';
import type { ServerEvent } from '../../../../local/openai/calls/conversation/server-events.ts';
import type { Speaker } from '../../../../local/openai/calls/line.ts';
import { samplesIn, tone } from '../../../../local/openai/calls/voice.ts';

export type EventOf<Type extends ServerEvent['type']> = Extract<ServerEvent, { type: Type }>;
type Settings = Omit<Extract<Session, { type: 'realtime' }>, 'type'>;

/** Longer than any response of these tests. */
const LONG_MS = 60_000;

export function realtime(settings: Settings = {}): Session {
  return { type: 'realtime', model: 'gpt-realtime-2.1-mini', ...settings };
}

/** @param transport `webrtc` plays audio, and `websocket` sends it as events */
export function converse(minted: Session = realtime(), transport: 'websocket' | 'webrtc' = 'websocket') {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const played: Int16Array[] = [];
  const speaker: Speaker = { play: (samples) => played.push(samples), clear: () => played.splice(0) };
  const conversation = createConversation({
    minted,
    speaker: transport === 'webrtc' ? speaker : undefined,
    audio: { received: 0, sent: 0 },
    now: Date.now,
  });
  let events: ServerEvent[] = [];
  conversation.listen((event) => events.push(event));
  conversation.begin();
  vi.advanceTimersByTime(LONG_MS);
  const greeting = events;
  events = [];

  /** @returns the events since the last call */
  function received(): ServerEvent[] {
    const since = events;
    events = [];
    return since;
  }

  /** @param event as a client may send it, valid or not. @returns what the conversation sends at once */
  function sendAny(event: unknown): ServerEvent[] {
    conversation.receive(typeof event === 'string' ? event : JSON.stringify(event));
    return received();
  }

  return {
    conversation,
    greeting,
    played,
    received,
    sendAny,
    send: (event: RealtimeClientEvent) => sendAny(event),
    /** Lets time pass. @returns what the conversation sends in the meantime */
    wait(ms = LONG_MS): ServerEvent[] {
      vi.advanceTimersByTime(ms);
      return received();
    },
    /** Speaks into the buffer: sound, then silence. */
    speak(soundMs: number, silenceMs = 0): ServerEvent[] {
      const sound = sendAny({ type: 'input_audio_buffer.append', audio: pcm(tone(soundMs)) });
      return [...sound, ...sendAny({ type: 'input_audio_buffer.append', audio: pcm(silence(silenceMs)) })];
    },
    /** Adds a message of the user. @returns its id */
    write(text: string): string {
      const [added] = sendAny({ type: 'conversation.item.create', item: userMessage(text) });
      return idOf(only([added], 'conversation.item.added').item);
    },
  };
}

export function userMessage(text: string) {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } as const;
}

export function pcm(samples: Int16Array): string {
  return toBase64(samples, 'audio/pcm');
}

export function silence(ms: number): Int16Array {
  return new Int16Array(samplesIn(ms));
}

/** Merges equal neighbours: the deltas of one text count as one. */
export function types(events: readonly ServerEvent[]): string[] {
  return events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
}

export function all<Type extends ServerEvent['type']>(
  events: readonly (ServerEvent | undefined)[],
  type: Type,
): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event?.type === type);
}

/** @throws if there is none, or more than one */
export function only<Type extends ServerEvent['type']>(
  events: readonly (ServerEvent | undefined)[],
  type: Type,
): EventOf<Type> {
  const [event, ...others] = all(events, type);
  if (event === undefined || others.length > 0) {
    throw new Error(`Expected one ${type} in ${JSON.stringify(events)}`);
  }
  return event;
}

/** @returns the one `error` event, without its own id */
export function errorIn(events: readonly ServerEvent[]) {
  return only(events, 'error').error;
}

export function idOf({ id }: { readonly id?: string | null }): string {
  return id ?? '';
}
