/**
 * A scripted call. It is built into the page instead of the real one, and tests control it through the page's window. It needs
 * neither a socket nor a microphone, and can take every state.
 */
import type { CallState } from '../../../web/client/call-state.ts';
import type { RealtimeEvent } from '../../../web/client/transport/realtime-event.ts';
import type { VoiceCall } from '../../../web/client/voice-call.ts';

/** A state without its streams: a test cannot pass them to the page, so they are created there. */
export type ScriptedState = CallState extends infer State
  ? State extends { readonly name: 'live' }
    ? Omit<State, 'remoteAudio' | 'microphone'>
    : State
  : never;

export interface ScriptedCall {
  readonly options: unknown;
  /** The methods that the page has called, in order. */
  readonly called: ('start' | 'stop')[];
  readonly become: (state: ScriptedState) => void;
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
  const called: ScriptedCall['called'] = [];
  let state: CallState = { name: 'idle' };

  function become(scripted: ScriptedState): void {
    state = scripted.name === 'live' ? { ...scripted, ...streamsOf(state) } : scripted;
    for (const listener of stateListeners) {
      listener(state);
    }
  }

  window.scriptedCall = {
    options,
    called,
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
      called.push('start');
      become({ name: 'asking-for-microphone' });
    },
    stop() {
      called.push('stop');
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

/** The model hums, the visitor is silent. A call that is already live keeps its streams. */
function streamsOf(before: CallState): { remoteAudio: MediaStream; microphone: MediaStream } {
  if (before.name === 'live') {
    return { remoteAudio: before.remoteAudio, microphone: before.microphone };
  }
  const audio = new AudioContext();
  const [voice, silence] = [audio.createMediaStreamDestination(), audio.createMediaStreamDestination()];
  for (const frequency of [220, 440, 900, 1500, 3000]) {
    const tone = new OscillatorNode(audio, { frequency });
    tone.connect(new GainNode(audio, { gain: 0.05 })).connect(voice);
    tone.start();
  }
  return { remoteAudio: voice.stream, microphone: silence.stream };
}
