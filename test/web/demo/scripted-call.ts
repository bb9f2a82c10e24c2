/**
 * A call that does what a test tells it to. It is built into the page in the real one's place, and driven through the
 * page's window: no socket, no microphone, every state at hand.
 */
import type { CallState } from '../../../web/client/call-state.ts';
import type { RealtimeEvent } from '../../../web/client/transport/realtime-event.ts';
import type { VoiceCall } from '../../../web/client/voice-call.ts';

/** A state as a test tells it: streams cannot be told, so they are made in the page. */
export type ToldState = CallState extends infer State
  ? State extends { readonly name: 'live' }
    ? Omit<State, 'remoteAudio' | 'microphone'>
    : State
  : never;

export interface ScriptedCall {
  readonly options: unknown;
  /** What the page has asked for, in order. */
  readonly asked: ('start' | 'stop')[];
  readonly become: (state: ToldState) => void;
  readonly receive: (...events: readonly RealtimeEvent[]) => void;
}

declare global {
  interface Window {
    scriptedCall?: ScriptedCall;
  }
}

export function createVoiceCall(options: unknown): VoiceCall {
  const stateListeners = new Set<(state: CallState) => void>();
  const eventListeners = new Set<(event: RealtimeEvent) => void>();
  const asked: ScriptedCall['asked'] = [];
  let state: CallState = { name: 'idle' };

  function become(told: ToldState): void {
    state = told.name === 'live' ? { ...told, ...streams() } : told;
    for (const listener of stateListeners) {
      listener(state);
    }
  }

  window.scriptedCall = {
    options,
    asked,
    become,
    receive: (...events) => {
      for (const event of events) {
        for (const listener of eventListeners) {
          listener(event);
        }
      }
    },
  };

  return {
    get state() {
      return state;
    },
    start() {
      asked.push('start');
      become({ name: 'asking-for-microphone' });
    },
    stop() {
      asked.push('stop');
      become({ name: 'ended', reason: 'hung-up' });
    },
    onState(listener) {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    onEvent(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    send: () => true,
  };
}

/** The model hums, the visitor is silent. */
function streams(): { remoteAudio: MediaStream; microphone: MediaStream } {
  const audio = new AudioContext();
  const [voice, silence] = [audio.createMediaStreamDestination(), audio.createMediaStreamDestination()];
  for (const frequency of [220, 440, 900, 1500, 3000]) {
    const tone = new OscillatorNode(audio, { frequency });
    tone.connect(new GainNode(audio, { gain: 0.05 })).connect(voice);
    tone.start();
  }
  return { remoteAudio: voice.stream, microphone: silence.stream };
}
