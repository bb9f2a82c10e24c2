/** A way to OpenAI. One call of it is one connection; when its signal aborts, nothing of the connection is left. */
import type { Clock } from '../../../resilience/index.ts';
import type { RealtimeEvent } from './realtime-event.ts';

export type Transport = (request: ConnectRequest) => Promise<ConnectOutcome>;

export interface ConnectRequest {
  /** Fresh: it lives for a minute. */
  readonly key: string;
  readonly model: string;
  /** `https://api.openai.com/v1` */
  readonly openaiBaseUrl: string;
  readonly microphone: MediaStream;
  /** Closes the connection. After it, none of the listeners below is called. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: RealtimeEvent) => void;
  /** The connection is gone, or has been silent for too long. */
  readonly onLost: () => void;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
}

export type ConnectOutcome =
  | { readonly kind: 'open'; readonly connection: Connection }
  /** OpenAI answered, and not with a call. */
  | { readonly kind: 'refused'; readonly status: number };

export interface Connection {
  readonly remoteAudio: MediaStream;
  /** @returns false if the connection does not take it just now */
  readonly send: (event: RealtimeEvent) => boolean;
}

/** What came over the wire, if it is an event at all. */
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
