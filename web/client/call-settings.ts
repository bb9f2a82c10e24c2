/** What a call is given: its settings, and whom it tells what becomes of it. */
import type { Clock } from '../../resilience/index.ts';
import type { GetUserMedia } from './browser/microphone.ts';
import type { Surroundings } from './browser/page-environment.ts';
import type { CallState } from './call-state.ts';
import type { RealtimeEvent } from './transport/realtime-event.ts';
import type { Connection, Transport } from './transport/transport.ts';

export interface CallSettings {
  /** Default: `https://api.openai.com/v1` */
  readonly openaiBaseUrl: string;
  /** Where keys are asked for. Default: `/session` on the page's own origin. */
  readonly sessionUrl?: string;
  /** Of the server's sentences, as in Accept-Language. Default: the browser's. */
  readonly language?: string;
  /** `webRtc` (default) or `webSocket`. */
  readonly transport: Transport;
  readonly maxCallMs: number;
  readonly getUserMedia: GetUserMedia;
  readonly surroundings: Surroundings;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
}

export type FinalState = Extract<CallState, { name: 'refused' | 'failed' | 'ended' }>;

/** What a call may tell. All of it is unheard once the signal has aborted. */
export interface CallScope {
  readonly signal: AbortSignal;
  readonly become: (state: CallState) => void;
  /** Aborts the signal. The first end counts. */
  readonly end: (final: FinalState) => void;
  readonly connected: (connection: Connection | undefined) => void;
  readonly heard: (event: RealtimeEvent) => void;
}
