/** The client in a plain page: a button, a line of text and a speaker. */
import { type CallState, createVoiceCall } from 'ephemeral-key-issuer/client';

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

const call = createVoiceCall();
const button = document.querySelector('button');
const status = document.querySelector('[role=status]');
const speaker = new Audio();
speaker.autoplay = true;

call.onState(show);
button?.addEventListener('click', () => (isUnderWay(call.state) ? call.stop() : call.start()));

function show(state: CallState): void {
  const sentence = 'sentence' in state ? state.sentence : undefined;
  status?.replaceChildren(sentence ?? SENTENCES[state.name]);
  button?.replaceChildren(isUnderWay(state) ? 'Hang up' : 'Call');
  const sound = state.name === 'live' ? state.remoteAudio : null;
  // The state is reported again when its notice changes. Assigning the same sound would interrupt it.
  if (speaker.srcObject !== sound) {
    speaker.srcObject = sound;
  }
}

function isUnderWay({ name }: CallState): boolean {
  return name !== 'idle' && name !== 'refused' && name !== 'failed' && name !== 'ended';
}
