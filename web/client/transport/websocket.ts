/**
 * WebSocket, for networks that block WebRTC. This file carries the audio itself: the microphone's in
 * `input_audio_buffer.append`, the model's from `response.output_audio.delta`. The key travels as a subprotocol, the only
 * place that a browser offers for it. Source: OpenAI, "Realtime API with WebSocket".
 *
 * A browser cannot distinguish a rejected handshake from a lost connection: both are close code 1006. A refusal only becomes
 * visible when the next key is requested.
 */

import { createSound } from '../browser/sound.ts';
import { createResampler, decodePcm, encodePcm, PCM_RATE } from './pcm.ts';
import type { RealtimeEvent } from './realtime-event.ts';
import { type ConnectOutcome, type ConnectRequest, readEvent, type UnsupportedTransport } from './transport.ts';

/** Samples in a packet: at 48 kHz, one packet every 85 ms. */
const PACKET_SAMPLES = 4096;

export async function webSocket(request: ConnectRequest): Promise<ConnectOutcome> {
  const { key, model, openaiBaseUrl, signal, onEvent, onLost } = request;
  signal.throwIfAborted();
  const url = `${openaiBaseUrl.replace(/^http/, 'ws')}/realtime?model=${encodeURIComponent(model)}`;
  const socket = new WebSocket(url, ['realtime', `openai-insecure-api-key.${key}`]);
  signal.addEventListener('abort', () => socket.close(), { once: true });
  // `error` is always followed by `close`: listening to both would report two losses.
  socket.addEventListener('close', onLost, { signal });

  const send = (event: RealtimeEvent) => {
    const isOpen = socket.readyState === WebSocket.OPEN;
    if (isOpen) {
      socket.send(JSON.stringify(event));
    }
    return isOpen;
  };
  const { remoteAudio, handleAudio } = carryAudio(request, send);
  socket.addEventListener(
    'message',
    ({ data }) => {
      const event = readEvent(data);
      if (event !== undefined) {
        handleAudio(event);
        onEvent(event);
      }
    },
    { signal },
  );
  await new Promise((resolve) => socket.addEventListener('open', resolve, { signal }));
  return { kind: 'open', connection: { remoteAudio, send } };
}

webSocket.whyUnsupported = (): UnsupportedTransport | undefined =>
  typeof WebSocket === 'function' && typeof AudioContext === 'function' ? undefined : 'websocket-unsupported';

function carryAudio({ microphone, signal, onSoundBlocked }: ConnectRequest, send: (event: RealtimeEvent) => boolean) {
  const context = createSound(signal, onSoundBlocked);
  const output = context.createMediaStreamDestination();

  // Not an AudioWorklet: its code must be a separate file, which each bundler handles differently, and a policy such as
  // `script-src 'self'` forbids generating it.
  const recorder = context.createScriptProcessor(PACKET_SAMPLES, 1, 1);
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

  /** The visitor is speaking: stop what remains to be played of the model's answer. */
  function interrupt(): void {
    for (const source of playing) {
      source.stop();
    }
    until = 0;
  }

  /** Audio that cannot be played is skipped and logged to the console. The event is still delivered, and the call goes on. */
  function handleAudio({ type, delta }: RealtimeEvent): void {
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

  return { remoteAudio: output.stream, handleAudio };
}
