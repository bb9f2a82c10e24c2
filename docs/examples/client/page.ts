import { createVoiceCall } from '../../../web/client/index.ts';

const call = createVoiceCall();
const button = document.querySelector('button');
const speaker = new Audio();

button?.addEventListener('click', () => (call.state.name === 'live' ? call.stop() : call.start()));
call.onState((state) => {
  document.title = 'sentence' in state ? (state.sentence ?? state.name) : state.name;
  if (state.name === 'live' && speaker.srcObject !== state.remoteAudio) {
    speaker.srcObject = state.remoteAudio;
    void speaker.play();
  }
});
