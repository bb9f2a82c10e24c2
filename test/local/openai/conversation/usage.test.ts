import { expect, it } from 'vitest';
import type { StoredItem } from '../../../../local/openai/calls/conversation/items/items.ts';
import { tokensOf } from '../../../../local/openai/calls/conversation/responses/tokens.ts';
import { tone } from '../../../../local/openai/calls/voice.ts';
import { type all, converse, idOf, only, pcm, realtime } from './conversing.ts';

const INSTRUCTIONS = 'x'.repeat(40);
/** 10 tokens for the instructions; 600 ms of greeting, which are 37 characters, for 10 of text and 12 of audio. */
const START = { text: 10 + 10, audio: 12 };

function talkOf() {
  return converse(realtime({ instructions: INSTRUCTIONS }));
}

function usageIn(events: Parameters<typeof all>[0]) {
  return only(events, 'response.done').response.usage;
}

it('of a response that is spoken counts 100 ms a token in, and 50 ms a token out', () => {
  const talk = talkOf();
  talk.speak(0, 1_000);
  // With 300 ms before, and 200 ms of silence after it.
  talk.speak(1_000, 200);
  expect(usageIn(talk.wait())).toEqual({
    // The caller's own 1,200 ms come back, with 15 characters of transcript.
    output_tokens: 24 + 4,
    output_token_details: { audio_tokens: 24, text_tokens: 4 },
    input_tokens: START.text + START.audio + 15,
    input_token_details: {
      text_tokens: START.text,
      audio_tokens: START.audio + 15,
      image_tokens: 0,
      cached_tokens: START.text + START.audio,
      cached_tokens_details: { text_tokens: START.text, audio_tokens: START.audio, image_tokens: 0 },
    },
    total_tokens: START.text + START.audio + 15 + 28,
  });
});

it('of the next response counts everything again, and all that was there before as cached', () => {
  const talk = talkOf();
  const respond = () => {
    talk.write('four');
    talk.send({ type: 'response.create' });
    return usageIn(talk.wait());
  };
  const first = respond();
  const second = respond();
  expect(second?.input_tokens).toBe((first?.total_tokens ?? 0) + 1);
  expect(second?.input_token_details?.cached_tokens).toBe(first?.total_tokens);
});

it.each([
  ['nothing but the end is changed', INSTRUCTIONS, false, START.text + START.audio + 1],
  ['an earlier item is deleted', INSTRUCTIONS, true, 10],
  ['the instructions are changed', 'y', false, 0],
])('counts as cached only what comes before a change: %s', (_case, instructions, isDeleted, cached) => {
  const talk = talkOf();
  talk.write('four');
  talk.send({ type: 'response.create' });
  const { output } = only(talk.wait(), 'response.done').response;
  talk.send({ type: 'conversation.item.delete', item_id: idOf(output?.[0] ?? {}) });
  if (isDeleted) {
    const { item } = only(talk.greeting, 'conversation.item.done');
    talk.send({ type: 'conversation.item.delete', item_id: idOf(item) });
  }
  talk.send({ type: 'response.create', response: { instructions } });
  expect(usageIn(talk.wait())?.input_token_details?.cached_tokens).toBe(cached);
});

it('of a truncated item counts what is left, and none of it as cached', () => {
  const talk = talkOf();
  const { item } = only(talk.greeting, 'conversation.item.done');
  talk.send({ type: 'conversation.item.truncate', item_id: idOf(item), content_index: 0, audio_end_ms: 250 });
  talk.send({ type: 'response.create' });
  expect(usageIn(talk.wait())?.input_token_details).toMatchObject({
    text_tokens: 10,
    audio_tokens: 5,
    cached_tokens: 10,
  });
});

it('counts the context that a response brings itself, and nothing else', () => {
  const talk = talkOf();
  const content = [
    { type: 'input_audio' as const, audio: pcm(tone(450)) },
    { type: 'input_text' as const, text: 'four' },
    { type: 'input_image' as const, image_url: 'data:image/png;base64,AAAA' },
  ];
  const input = [{ type: 'message' as const, role: 'user' as const, content }];
  talk.send({ type: 'response.create', response: { conversation: 'none', input, output_modalities: ['text'] } });
  expect(usageIn(talk.wait())).toMatchObject({
    input_token_details: { text_tokens: 11, audio_tokens: 5, image_tokens: 500, cached_tokens: 10 },
    output_token_details: { audio_tokens: 0, text_tokens: 4 },
  });
});

it('counts the tools as text', () => {
  const tools = [{ type: 'function' as const, name: 'look' }];
  const talk = converse(realtime({ tools, instructions: INSTRUCTIONS }));
  talk.send({ type: 'response.create', response: { input: [] } });
  const characters = INSTRUCTIONS.length + JSON.stringify(tools).length;
  expect(usageIn(talk.wait())?.input_tokens).toBe(Math.ceil(characters / 4));
});

it('is reserved from the rate limit of the next response', () => {
  const talk = talkOf();
  talk.send({ type: 'response.create' });
  const { total_tokens: first } = usageIn(talk.greeting) ?? {};
  const { total_tokens: second } = usageIn(talk.wait()) ?? {};
  const [limit] = only(talk.send({ type: 'response.create' }), 'rate_limits.updated').rate_limits;
  expect(limit).toMatchObject({ name: 'tokens', remaining: 40_000 - (first ?? 0) - (second ?? 0) });
});

it.each([
  [{ type: 'function_call', id: 'a', name: 'look', arguments: '{"a":1}' }, 3],
  [{ type: 'function_call_output', id: 'a', call_id: 'b', output: '12345' }, 2],
  [{ type: 'mcp_list_tools', id: 'a', server_label: 'x', tools: [] }, 1],
  [{ type: 'mcp_approval_response', id: 'a', approval_request_id: 'b', approve: true }, 0],
] as const)('counts %j as text', (item, text) => {
  expect(tokensOf({ item, audio: new Map() })).toEqual({ text, audio: 0, image: 0 });
});

it.each([
  ['user', 10_000, 100],
  ['user', 10_001, 101],
  ['assistant', 10_000, 200],
  ['assistant', 10_001, 201],
] as const)('counts audio of the %s of %d ms as %d tokens', (role, ms, audio) => {
  const item = {
    type: 'message',
    id: 'a',
    role,
    content: [{ type: role === 'user' ? 'input_audio' : 'output_audio' }],
  };
  expect(tokensOf({ item, audio: new Map([[0, tone(ms)]]) } as StoredItem)).toEqual({ text: 0, audio, image: 0 });
});

it('of a response out of band does not end what is cached for the conversation', () => {
  const talk = talkOf();
  talk.send({ type: 'response.create', response: { conversation: 'none', input: [], instructions: 'y' } });
  talk.wait();
  talk.send({ type: 'response.create' });
  expect(usageIn(talk.wait())?.input_token_details?.cached_tokens).toBe(START.text + START.audio);
});
