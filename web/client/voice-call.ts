/** A voice call of one page with the model. */
import type { CallState } from './call-state.ts';
import type { RealtimeEvent } from './transport/realtime-event.ts';

export interface VoiceCall {
  readonly state: CallState;
  /** Begins a call, from `idle` and from each final state; anywhere else it does nothing, so that a double click is one call. */
  start(): void;
  /** Ends everything at once, from any state: timers, requests, microphone, connection. */
  stop(): void;
  /**
   * Every listener hears every state in its order, each before any hears the next; where one of them has started or stopped the
   * call, `state` is further on already.
   * @returns what ends the subscription
   */
  onState(listener: (state: CallState) => void): () => void;
  /** The server's events, of this call's present connection only. @returns what ends the subscription */
  onEvent(listener: (event: RealtimeEvent) => void): () => void;
  /** Sends an event to the server. @returns false if there is no connection that takes it */
  send(event: RealtimeEvent): boolean;
}
