/** The Realtime client of the package `openai`, with a key of the issuer's: it talks to the stand-in as it does to OpenAI. */
import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeClientEvent, RealtimeServerEvent } from 'openai/resources/realtime/realtime.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tone } from '../../../local/openai/calls/voice.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { pcm, silence } from './conversation/conversing.ts';

type EventOf<Type> = Extract<RealtimeServerEvent, { type: Type }>;

/** On a busy machine. */
const PATIENTLY = { timeout: 20_000 };
const tools = [
  {
    type: 'function' as const,
    name: 'look_up_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

describe("openai's own Realtime client", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack();
  });
  afterAll(() => stack?.close());

  async function open() {
    const { value, session } = (await stack.visit()).json as { value: string; session: { model: string } };
    const client = new OpenAI({ apiKey: value, baseURL: stack.addresses.openai });
    // The client always asks for TLS, which the stand-in does not offer.
    const createConnection = ((options: { port: number; host: string }) => connect(options)) as never;
    const realtime = new OpenAIRealtimeWS({ model: session.model, options: { createConnection } }, client);
    onTestFinished(() => realtime.close());
    const events: RealtimeServerEvent[] = [];
    const errors: unknown[] = [];
    realtime.on('event', (event) => events.push(event));
    realtime.on('error', (error) => errors.push(error));

    let seen = 0;
    /** The first event of the type after the last one that was waited for. */
    async function next<Type extends RealtimeServerEvent['type']>(
      type: Type,
      trigger?: RealtimeClientEvent,
    ): Promise<EventOf<Type>> {
      if (trigger !== undefined) {
        realtime.send(trigger);
      }
      const isIt = (event: RealtimeServerEvent): event is EventOf<Type> => event.type === type;
      const found = await vi.waitUntil(() => events.slice(seen).find(isIt), PATIENTLY);
      seen = events.indexOf(found) + 1;
      return found;
    }

    return { realtime, events, errors, next };
  }

  it('connects, speaks, interrupts, calls a function and closes, without an error', async () => {
    const { realtime, events, errors, next } = await open();
    expect((await next('session.created')).session).toMatchObject({ audio: { output: { voice: 'marin' } } });
    const { session } = await next('session.updated', { type: 'session.update', session: { type: 'realtime', tools } });
    expect(session).toMatchObject({ tools });

    // It speaks, in pieces of 100 ms as a microphone does, and is answered.
    const sound = pcm(tone(100));
    for (const audio of [sound, sound, pcm(silence(500))]) {
      realtime.send({ type: 'input_audio_buffer.append', audio });
    }
    expect(await next('conversation.item.input_audio_transcription.completed')).toMatchObject({
      transcript: 'Beep 1.',
    });
    const { response: spoken } = await next('response.done');
    expect(spoken).toMatchObject({
      status: 'completed',
      output: [{ content: [{ type: 'output_audio', transcript: 'I heard beep 1.' }] }],
      usage: { output_token_details: { audio_tokens: 8 } },
    });

    // It interrupts a long answer, and tells how much of it was heard.
    const long = { type: 'input_text' as const, text: 'word '.repeat(100) };
    realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [long] } });
    const delta = await next('response.output_audio.delta', { type: 'response.create' });
    const cancelled = await next('response.done', { type: 'input_audio_buffer.append', audio: sound });
    expect(cancelled.response).toMatchObject({ status: 'cancelled', status_details: { reason: 'turn_detected' } });
    const cut = { item_id: delta.item_id, content_index: 0, audio_end_ms: 100 };
    expect(await next('conversation.item.truncated', { type: 'conversation.item.truncate', ...cut })).toMatchObject(
      cut,
    );
    const { item } = await next('conversation.item.retrieved', {
      type: 'conversation.item.retrieve',
      item_id: delta.item_id,
    });
    expect(item).toMatchObject({ status: 'incomplete', content: [{ type: 'output_audio', audio: delta.delta }] });
    await next('response.done', { type: 'input_audio_buffer.append', audio: pcm(silence(500)) });

    // It runs the function, and hears what came of it.
    const ask = { type: 'input_text' as const, text: 'Please look_up_weather.' };
    realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [ask] } });
    const call = await next('response.function_call_arguments.done', { type: 'response.create' });
    expect([call.name, JSON.parse(call.arguments)]).toEqual(['look_up_weather', { city: 'sample' }]);
    await next('response.done');
    realtime.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: call.call_id, output: 'sunny' },
    });
    expect(await next('response.output_audio_transcript.done', { type: 'response.create' })).toMatchObject({
      transcript: 'The function returned sunny',
    });

    realtime.close();
    await expect.poll(() => stack.openai?.heard().calls.open, PATIENTLY).toBe(0);
    expect(errors).toEqual([]);
    expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  });

  it('reports the error of an invalid event, with the id of the event', async () => {
    const { errors, next, realtime } = await open();
    await next('session.created');
    realtime.send({ type: 'response.cancel', event_id: 'mine' });
    await expect
      .poll(() => errors, PATIENTLY)
      .toMatchObject([{ error: { code: 'response_cancel_not_active', event_id: 'mine' } }]);
  });
});
