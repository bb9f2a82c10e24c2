/** A way to connect to OpenAI. Each call opens one connection. Once its signal aborts, nothing of the connection is left. */
import type { Clock } from '../../../resilience/index.ts';
import type { FailureReason } from '../call-state.ts';
import type { RealtimeEvent } from './realtime-event.ts';

/** Opens one connection to OpenAI: `webRtc` or `webSocket`. */
export interface Transport {
  (request: ConnectRequest): Promise<ConnectOutcome>;
  /** @returns the reason if this browser cannot connect in this way. Called before a key is requested. */
  readonly whyUnsupported?: () => UnsupportedTransport | undefined;
}

export type UnsupportedTransport = Extract<FailureReason, 'webrtc-unsupported' | 'websocket-unsupported'>;

export interface ConnectRequest {
  /** A fresh key, which expires after a minute by default. */
  readonly key: string;
  readonly model: string;
  /** For example `https://api.openai.com/v1`. */
  readonly openaiBaseUrl: string;
  readonly microphone: MediaStream;
  /** Closes the connection when it aborts. None of the listeners below is called after that. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: RealtimeEvent) => void;
  /** The connection is gone, or has been interrupted for too long. */
  readonly onLost: () => void;
  /** The browser holds back the sound until the visitor touches the page, or no longer does. */
  readonly onSoundBlocked: (isBlocked: boolean) => void;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
}

export type ConnectOutcome =
  | { readonly kind: 'open'; readonly connection: Connection }
  /** OpenAI responded, but did not accept the call. */
  | { readonly kind: 'refused'; readonly status: number };

export interface Connection {
  readonly remoteAudio: MediaStream;
  /** @returns false if the connection cannot send at the moment */
  readonly send: (event: RealtimeEvent) => boolean;
}

/** @returns the event in a message, or `undefined` if the message is not an event */
export function readEvent(data: unknown): RealtimeEvent | undefined {
  try {
    const event: unknown = JSON.parse(String(data));
    return isEvent(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is RealtimeEvent {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
