/** The client in a React component: a button, a line of text and a speaker. */
import type { CallState } from 'ephemeral-key-issuer/client';
import { useVoiceCall } from './use-voice-call.ts';

/** What to show if the server has sent no sentence for the visitor. */
const SENTENCES: Readonly<Record<CallState['name'], string>> = {
  idle: '',
  'asking-for-microphone': 'Please allow access to your microphone.',
  minting: 'Connecting …',
  connecting: 'Connecting …',
  live: 'Connected.',
  reconnecting: 'The connection was lost. Reconnecting …',
  refused: 'You cannot call at the moment.',
  failed: 'The call failed. Please try again later.',
  ended: 'The call has ended.',
};

export function CallButton() {
  const { state, start, stop } = useVoiceCall();
  const isUnderWay = !['idle', 'refused', 'failed', 'ended'].includes(state.name);
  const sentence = 'sentence' in state ? state.sentence : undefined;
  return (
    <>
      <button type="button" onClick={isUnderWay ? stop : start}>
        {isUnderWay ? 'Hang up' : 'Call'}
      </button>
      <p role="status">{sentence ?? SENTENCES[state.name]}</p>
    </>
  );
}
