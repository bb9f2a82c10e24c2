import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MediaStreamTrack, RTCPeerConnection, RtpHeader, RtpPacket, usePCMU } from 'werift';
import { WebSocket } from 'ws';
import { encodeAudio, toBase64 } from '../../../local/openai/calls/audio-formats.ts';
import { tone } from '../../../local/openai/calls/voice.ts';
import { type OpenAI, startOpenAI } from '../../../local/openai/server.ts';

const API_KEY = 'sk-test';
const GREETING = [
  'session.created',
  'conversation.created',
  'response.created',
  'rate_limits.updated',
  'response.output_item.added',
  'conversation.item.added',
  'response.content_part.added',
  'response.output_audio_transcript.delta',
  'response.output_audio_transcript.done',
  'response.content_part.done',
  'response.output_item.done',
  'conversation.item.done',
  'response.done',
];
const SESSION = { type: 'realtime', audio: { input: { transcription: { model: 'gpt-4o-mini-transcribe' } } } };

async function start(): Promise<OpenAI> {
  const openai = await startOpenAI({ apiKey: API_KEY });
  onTestFinished(() => openai.close());
  return openai;
}

async function mint(openai: OpenAI): Promise<string> {
  const response = await fetch(`${openai.baseUrl}/realtime/client_secrets`, {
    method: 'POST',
    body: JSON.stringify({ session: SESSION }),
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
  });
  return ((await response.json()) as { value: string }).value;
}

function offer(openai: OpenAI, key: string, sdp: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' };
  return fetch(`${openai.baseUrl}/realtime/calls`, { method: 'POST', body: sdp, headers });
}

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Merges equal neighbours: the deltas of one transcript count as one. */
function types(events: readonly Event[]): string[] {
  return events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
}

/** Without those on which the transports differ: one sends audio as events, the other reports what is played and cut off. */
function withoutSound(events: readonly Event[]): readonly Event[] {
  const sound = /^(response\.output_audio|output_audio_buffer)\.|^conversation\.item\.truncated$/;
  return events.filter(({ type }) => !sound.test(type));
}

function connect(openai: OpenAI, key: string) {
  const url = `${openai.baseUrl.replace('http', 'ws')}/realtime?model=gpt-realtime-2.1`;
  const socket = new WebSocket(url, ['realtime', `openai-insecure-api-key.${key}`]);
  const events: Event[] = [];
  socket.on('message', (data) => events.push(JSON.parse(String(data))));
  onTestFinished(() => socket.terminate());
  return { socket, events, send: (event: unknown) => socket.send(JSON.stringify(event)) };
}

async function call(openai: OpenAI, key: string) {
  const peer = new RTCPeerConnection({
    codecs: { audio: [usePCMU()] },
    iceServers: [],
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ['127.0.0.1'],
  });
  onTestFinished(() => peer.close());
  const track = new MediaStreamTrack({ kind: 'audio' });
  peer.addTrack(track);
  const channel = peer.createDataChannel('oai-events');
  const events: Event[] = [];
  channel.onMessage.subscribe((message) => events.push(JSON.parse(String(message))));
  const heard: Buffer[] = [];
  peer.onTrack.subscribe((remote) => remote.onReceiveRtp.subscribe(({ payload }) => heard.push(payload)));
  await peer.setLocalDescription(await peer.createOffer());
  const response = await offer(openai, key, peer.localDescription?.sdp ?? '');
  const sdp = await response.text();
  if (response.status === 201) {
    await peer.setRemoteDescription({ type: 'answer', sdp });
  }

  let sent = 0;
  function speak(payload: Buffer): void {
    for (let at = 0; at < payload.length; at += 160) {
      const header = new RtpHeader({ sequenceNumber: sent, timestamp: sent * 160, payloadType: 0 });
      track.writeRtp(new RtpPacket(header, payload.subarray(at, at + 160)));
      sent += 1;
    }
  }
  return { response, events, heard, channel, speak };
}

const SILENCE = new Int16Array(12_000);

it.each(['websocket', 'webrtc'])(
  'over %s, sends a greeting, answers, and detects the end of speech',
  async (transport) => {
    const openai = await start();
    const key = await mint(openai);
    const { events, send, speak } = await (transport === 'websocket' ? speakingOverWebSocket() : speakingOverWebRtc());
    await vi.waitUntil(() => events.some(({ type }) => type === 'response.done'), 5_000);
    expect(types(withoutSound(events))).toEqual(GREETING);
    expect(openai.heard().calls).toMatchObject({ asked: 1, opened: 1, open: 1 });

    events.length = 0;
    send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be kind.' } });
    send({ type: 'no.such.event', event_id: 'mine' });
    await vi.waitUntil(() => withoutSound(events).length === 2, 5_000);
    expect(withoutSound(events)).toMatchObject([
      { type: 'session.updated', session: { instructions: 'Be kind.' } },
      { type: 'error', error: { code: 'invalid_value', event_id: 'mine' } },
    ]);

    events.length = 0;
    speak(tone(200));
    speak(SILENCE);
    await vi.waitUntil(() => events.some(({ type }) => type === 'response.done'), 5_000);
    expect(types(withoutSound(events)).slice(0, 8)).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
      'response.created',
    ]);
    const { audioReceived, audioSent } = openai.heard().calls;
    expect(audioReceived).toBeGreaterThan(0);
    expect(audioSent).toBeGreaterThan(0);

    function speakingOverWebSocket() {
      const { events, send } = connect(openai, key);
      const speak = (samples: Int16Array) =>
        send({ type: 'input_audio_buffer.append', audio: toBase64(samples, 'audio/pcm') });
      return Promise.resolve({ events, send, speak });
    }
    async function speakingOverWebRtc() {
      const { response, events, channel, speak } = await call(openai, key);
      expect(response.status).toBe(201);
      expect(response.headers.get('location')).toMatch(/^\/v1\/realtime\/calls\/rtc_/);
      return {
        events,
        send: (event: unknown) => channel.send(JSON.stringify(event)),
        speak: (samples: Int16Array) => speak(encodeAudio(samples, 'audio/pcmu')),
      };
    }
  },
);

it('plays its greeting on the track, and then repeats what the caller said', async () => {
  const openai = await start();
  const { heard, speak, events } = await call(openai, await mint(openai));
  const greetingPackets = 30;
  await vi.waitUntil(() => heard.length === greetingPackets, 5_000);
  const spoken = Buffer.alloc(160, 0x11);
  speak(spoken);
  speak(encodeAudio(SILENCE, 'audio/pcmu'));
  await vi.waitUntil(() => heard[greetingPackets]?.equals(spoken), 5_000);
  await vi.waitUntil(() => events.at(-1)?.type === 'output_audio_buffer.stopped', 5_000);
});

it('handles what a client sends before the session is created', async () => {
  const openai = await start();
  const { channel, events } = await call(openai, await mint(openai));
  await vi.waitUntil(() => channel.readyState === 'open', 5_000);
  channel.send('{"type":"input_audio_buffer.clear"}');
  await vi.waitUntil(() => events.some(({ type }) => type === 'input_audio_buffer.cleared'), 5_000);
  expect(events[0]?.type).toBe('session.created');
});

it('takes the key in the header of a WebSocket, too', async () => {
  const openai = await start();
  const headers = { authorization: `Bearer ${await mint(openai)}` };
  const socket = new WebSocket(`${openai.baseUrl.replace('http', 'ws')}/realtime?model=gpt-realtime-2.1`, { headers });
  onTestFinished(() => socket.terminate());
  const [message] = await once(socket, 'message');
  expect(JSON.parse(String(message))).toMatchObject({ type: 'session.created' });
});

it('allows every origin', async () => {
  const openai = await start();
  const preflight = await fetch(`${openai.baseUrl}/realtime/calls`, { method: 'OPTIONS' });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toBe(
    'authorization, content-type, x-openai-agents-sdk',
  );
});

it('refuses an unknown key', async () => {
  const openai = await start();
  const response = await offer(openai, 'ek_unknown', '');
  expect(response.status).toBe(401);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key' } });

  const { socket } = connect(openai, 'ek_unknown');
  const [error] = await once(socket, 'error').catch((reason) => [reason]);
  expect(String(error)).toContain('401');
});

it('refuses an expired key', async () => {
  let nowMs = Date.now();
  const openai = await startOpenAI({ apiKey: API_KEY, now: () => nowMs });
  onTestFinished(() => openai.close());
  const key = await mint(openai);
  expect((await offer(openai, key, 'no offer')).status).toBe(400);
  nowMs += 601_000;
  expect((await offer(openai, key, 'no offer')).status).toBe(401);
});

it('refuses as scripted, for the given number of calls', async () => {
  const openai = await start();
  const key = await mint(openai);
  openai.tellCalls({ mode: 'refuse', status: 429, times: 1 });
  expect((await offer(openai, key, '')).status).toBe(429);
  expect((await offer(openai, key, '')).status).toBe(400);
});

it.each([
  [{ mode: 'drop' }, [], 1006],
  [{ mode: 'expire' }, ['error'], 1001],
] as const)('ends a WebSocket call as scripted: %j', async (script, sent, code) => {
  const openai = await start();
  openai.tellCalls(script);
  const { socket, events } = connect(openai, await mint(openai));
  const [closedWith] = await once(socket, 'close');
  expect(closedWith).toBe(code);
  expect(types(events)).toEqual(sent);
});

it('ends open calls over both transports on a request to the control route', async () => {
  const openai = await start();
  const key = await mint(openai);
  const { channel, events } = await call(openai, key);
  const { socket } = connect(openai, key);
  await vi.waitUntil(() => openai.heard().calls.open === 2 && events.length > 0, 5_000);
  const control = `${openai.origin}/control/calls`;
  const closed = once(socket, 'close');
  expect((await fetch(control, { method: 'POST', body: '{"action":"expire"}' })).status).toBe(204);
  await closed;
  await vi.waitUntil(() => channel.readyState === 'closed' && openai.heard().calls.open === 0, 5_000);
  expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'session_expired' } });
});

it.each(['stall', 'vanish'] as const)('sends nothing in the mode %s, and keeps the connection open', async (mode) => {
  const openai = await start();
  openai.tellCalls({ mode });
  const { socket, events, send } = connect(openai, await mint(openai));
  await once(socket, 'open');
  send({ type: 'response.create' });
  socket.ping();
  await once(socket, 'pong');
  expect(events).toEqual([]);
});

it.each([
  ['{"mode":"nap"}', '"mode" must be one of ok, drop, vanish, expire, refuse, stall.'],
  ['{"mode":"drop","status":500}', '"status" is not a setting of the mode drop.'],
  ['{"mode":"refuse","status":200}', '"status" must be a whole number from 400 to 599.'],
])('answers %s with an error message', async (body, message) => {
  const openai = await start();
  const response = await fetch(`${openai.origin}/control/calls`, { method: 'PUT', body });
  expect(response.status).toBe(400);
  expect((await response.text()).trim()).toBe(message);
});
