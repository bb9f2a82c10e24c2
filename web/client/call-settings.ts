/** The input of a call: its settings, and the callbacks through which it reports its progress. */
import type { Clock } from '../../resilience/index.ts';
import type { GetUserMedia } from './browser/microphone.ts';
import type { Surroundings } from './browser/page-environment.ts';
import type { CallState } from './call-state.ts';
import type { RealtimeEvent } from './transport/realtime-event.ts';
import type { Connection, Transport } from './transport/transport.ts';

export interface CallSettings {
  /** OpenAI's API, without a trailing slash. Default: `https://api.openai.com/v1`. */
  readonly openaiBaseUrl: string;
  /** Where to request keys. Default: `/session` on the page's own origin. */
  readonly sessionUrl?: string;
  /** Language of the issuer's messages, in the syntax of Accept-Language. Default: the browser's. */
  readonly language?: string;
  /** How to connect to OpenAI: `webRtc` or `webSocket`. Default: `webRtc`. */
  readonly transport: Transport;
  /** Maximum length of a call, in milliseconds. */
  readonly maxCallMs: number;
  /** Opens the microphone. Default: the browser's. */
  readonly getUserMedia: GetUserMedia;
  /** Network and visibility state. Default: the browser's. */
  readonly surroundings: Surroundings;
  /** Default: the global `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** The time and timers. Default: the system's. */
  readonly clock: Clock;
  /** Returns a number from 0 up to, but not including, 1. Default: `Math.random`. */
  readonly random: () => number;
}

export type FinalState = Extract<CallState, { name: 'refused' | 'failed' | 'ended' }>;

/** How a call reports its progress. Once the signal has aborted, reports have no effect. */
export interface CallScope {
  readonly signal: AbortSignal;
  readonly become: (state: CallState) => void;
  /** Ends the call and aborts the signal. Only the first call has an effect. */
  readonly end: (final: FinalState) => void;
  /** The current connection, or `undefined` when it is lost. */
  readonly connected: (connection: Connection | undefined) => void;
  readonly received: (event: RealtimeEvent) => void;
}
