import { type CallState, createVoiceCall, type VoiceCallOptions } from 'ephemeral-key-issuer/client';
import { useEffect, useState, useSyncExternalStore } from 'react';

export interface ComponentCall {
  readonly state: CallState;
  readonly start: () => void;
  readonly stop: () => void;
}

/**
 * A voice call that belongs to a component. It ends when the component is unmounted.
 * @param options are those of the first render; later ones are ignored
 */
export function useVoiceCall(options?: VoiceCallOptions): ComponentCall {
  const [call] = useState(() => createVoiceCall(options));
  const state = useSyncExternalStore(call.onState, () => call.state);
  useEffect(() => call.stop, [call]);
  useSpeaker(state.name === 'live' ? state.remoteAudio : undefined);
  return { state, start: call.start, stop: call.stop };
}

function useSpeaker(sound: MediaStream | undefined): void {
  useEffect(() => {
    if (sound === undefined) {
      return;
    }
    const speaker = new Audio();
    speaker.srcObject = sound;
    speaker.autoplay = true;
    return () => {
      speaker.srcObject = null;
    };
  }, [sound]);
}
