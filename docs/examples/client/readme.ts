import { createVoiceCall } from '../../../web/client/index.ts';

const call = createVoiceCall();
const speaker = new Audio();
call.onState((state) => {
  if (state.name === 'live' && speaker.srcObject !== state.remoteAudio) {
    speaker.srcObject = state.remoteAudio;
    void speaker.play();
  }
});
document.querySelector('button')?.addEventListener('click', () => call.start());
