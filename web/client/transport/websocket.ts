/**
 * WebSocket: for networks that let no WebRTC through. The sound is this file's to carry: the microphone's in
 * `input_audio_buffer.append`, the model's from `response.output_audio.delta`. The key travels as a subprotocol, the only
 * place a browser has for it. Source: OpenAI, "Realtime API with WebSocket".
 *
 * A refused handshake looks like a lost one to a browser, close code 1006: refusals are learnt where keys are asked for.
 */

import { createSound } from '../browser/sound.ts';
import { createResampler, decodePcm, encodePcm, PCM_RATE } from './pcm.ts';
import type { RealtimeEvent } from './realtime-event.ts';
import { type ConnectOutcome, type ConnectRequest, readEvent } from './transport.ts';

/** At 48 kHz a packet each 85 ms. */
const BLOCK = 4096;

export function webSocket(request: ConnectRequest): Promise<ConnectOutcome> {
  const { key, model, openaiBaseUrl, signal, onEvent, onLost } = request;
  signal.throwIfAborted();
  const url = `${openaiBaseUrl.replace(/^http/, 'ws')}/realtime?model=${encodeURIComponent(model)}`;
  const socket = new WebSocket(url, ['realtime', `openai-insecure-api-key.${key}`]);
  signal.addEventListener('abort', () => socket.close(), { once: true });
  // `error` is always followed by `close`: both would be two losses.
  socket.addEventListener('close', onLost, { signal });

  const send = (event: RealtimeEvent) => {
    const isOpen = socket.readyState === WebSocket.OPEN;
    if (isOpen) {
      socket.send(JSON.stringify(event));
    }
    return isOpen;
  };
  const { remoteAudio, hear } = carrySound(request, send);
  socket.addEventListener(
    'message',
    ({ data }) => {
      const event = readEvent(data);
      if (event !== undefined) {
        hear(event);
        onEvent(event);
      }
    },
    { signal },
  );
  return new Promise((resolve) => {
    const connection = { remoteAudio, send };
    socket.addEventListener('open', () => resolve({ kind: 'open', connection }), { signal });
  });
}

function carrySound({ microphone, signal }: ConnectRequest, send: (event: RealtimeEvent) => boolean) {
  const context = createSound(signal);
  const output = context.createMediaStreamDestination();

  // Not an AudioWorklet: its code is a file of its own, which each bundler treats its own way, and a policy such as
  // `script-src 'self'` forbids to make it up.
  const recorder = context.createScriptProcessor(BLOCK, 1, 1);
  const resample = createResampler(context.sampleRate);
  recorder.addEventListener('audioprocess', ({ inputBuffer }) => {
    const audio = encodePcm(resample(inputBuffer.getChannelData(0)));
    send({ type: 'input_audio_buffer.append', audio });
  });
  context.createMediaStreamSource(microphone).connect(recorder).connect(context.destination);

  const playing = new Set<AudioBufferSourceNode>();
  let until = 0;
  function play(base64: string): void {
    const samples = decodePcm(base64);
    if (samples.length === 0) {
      return;
    }
    const buffer = context.createBuffer(1, samples.length, PCM_RATE);
    buffer.copyToChannel(samples, 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(output);
    until = Math.max(until, context.currentTime);
    source.start(until);
    until += buffer.duration;
    playing.add(source);
    source.addEventListener('ended', () => playing.delete(source));
  }

  /** The visitor speaks: what the model has already said is not played to its end. */
  function interrupt(): void {
    for (const source of playing) {
      source.stop();
    }
    until = 0;
  }

  /** What cannot be played is reported and left out. The event is told all the same, and the call goes on. */
  function hear({ type, delta }: RealtimeEvent): void {
    try {
      if (type === 'response.output_audio.delta' && typeof delta === 'string') {
        play(delta);
      } else if (type === 'input_audio_buffer.speech_started') {
        interrupt();
      }
    } catch (error) {
      console.error(error);
    }
  }

  return { remoteAudio: output.stream, hear };
}
