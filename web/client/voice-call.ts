/** A voice call between a page and the model. */
import type { CallState } from './call-state.ts';
import type { RealtimeEvent } from './transport/realtime-event.ts';

export interface VoiceCall {
  /** The current state. */
  readonly state: CallState;
  /** Starts a call from `idle` or a final state. In any other state it does nothing, so a double click starts one call. */
  start(): void;
  /** Ends the call immediately, in any state: timers, requests, microphone and connection. */
  stop(): void;
  /**
   * Calls the listener with every new state, in order. All listeners receive a state before any of them receives the next one.
   * If a listener starts or stops the call, `state` may already be ahead of the state that the other listeners receive.
   * @returns a function that ends the subscription
   */
  onState(listener: (state: CallState) => void): () => void;
  /** Calls the listener with each event that OpenAI sends. @returns a function that ends the subscription */
  onEvent(listener: (event: RealtimeEvent) => void): () => void;
  /** Sends an event to OpenAI. @returns false if there is no connection that can send it */
  send(event: RealtimeEvent): boolean;
}
