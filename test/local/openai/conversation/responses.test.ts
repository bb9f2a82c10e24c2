import { describe, expect, it } from 'vitest';
import { fromBase64 } from '../../../../local/openai/calls/audio-formats.ts';
import { durationMs } from '../../../../local/openai/calls/voice.ts';
import { all, converse, errorIn, idOf, only, realtime, types, userMessage } from './conversing.ts';

const CREATE = { type: 'response.create' } as const;

/** Every event of a response with audio, in order. Those of WebRTC are added where it sends them. */
const MESSAGE = [
  'response.created',
  'rate_limits.updated',
  'response.output_item.added',
  'conversation.item.added',
  'response.content_part.added',
  'response.output_audio_transcript.delta',
  'response.output_audio.delta',
  'response.output_audio.done',
  'response.output_audio_transcript.done',
  'response.content_part.done',
  'response.output_item.done',
  'conversation.item.done',
  'response.done',
];

/** The types of the events, each once, in the order in which they first came. */
function ladder(events: Parameters<typeof types>[0]): string[] {
  return [...new Set(types(events))];
}

describe('response.create', () => {
  it('speaks, word by word, 100 ms a word', () => {
    const talk = converse();
    talk.write('one two');
    const events = [...talk.send(CREATE), ...talk.wait()];
    expect(ladder(events)).toEqual(MESSAGE);
    const words = all(events, 'response.output_audio_transcript.delta').map(({ delta }) => delta);
    expect(words).toEqual(['You ', 'said: ', 'one ', 'two']);
    const audio = all(events, 'response.output_audio.delta').map(({ delta }) => fromBase64(delta, 'audio/pcm'));
    expect(audio.map((samples) => durationMs(samples ?? new Int16Array()))).toEqual([100, 100, 100, 100]);
    expect(only(events, 'response.done').response).toMatchObject({
      object: 'realtime.response',
      id: only(events, 'response.created').response.id,
      conversation_id: only(talk.greeting, 'conversation.created').conversation.id,
      status: 'completed',
      status_details: null,
      output_modalities: ['audio'],
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_audio', transcript: 'You said: one two' }],
        },
      ],
      metadata: null,
    });
  });

  it('over WebRTC, plays the audio instead of sending it, and reports when it starts and stops', () => {
    const talk = converse(realtime(), 'webrtc');
    talk.played.length = 0;
    const events = [...talk.send(CREATE), ...talk.wait()];
    expect(ladder(events)).toEqual([
      ...MESSAGE.slice(0, 6),
      'output_audio_buffer.started',
      ...MESSAGE.slice(7),
      'output_audio_buffer.stopped',
    ]);
    expect(talk.played.map(durationMs)).toEqual([100, 100, 100, 100]);
  });

  it('over WebRTC, plays one response after the other', () => {
    const talk = converse(realtime(), 'webrtc');
    talk.send(CREATE);
    talk.wait(100);
    talk.send(CREATE);
    // The first one is generated from 20 ms on and takes 400 ms, and so does the second one.
    expect(all(talk.wait(320), 'output_audio_buffer.stopped')).toHaveLength(1);
    expect(all(talk.wait(399), 'output_audio_buffer.stopped')).toHaveLength(0);
    expect(all(talk.wait(1), 'output_audio_buffer.stopped')).toHaveLength(1);
  });

  it('writes, if it is asked for text', () => {
    const talk = converse(realtime({ output_modalities: ['text'] }));
    const events = [...talk.send(CREATE), ...talk.wait()];
    expect(ladder(events).slice(4, 8)).toEqual([
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
    ]);
    expect(only(events, 'response.output_text.done').text).toBe('Yes, I am here.');
    expect(only(events, 'response.done').response.output).toMatchObject([
      { content: [{ type: 'output_text', text: 'Yes, I am here.' }] },
    ]);
  });

  it('sends audio in the format of the session', () => {
    const talk = converse(realtime({ audio: { output: { format: { type: 'audio/pcmu' } } } }));
    const [first] = all([...talk.send(CREATE), ...talk.wait()], 'response.output_audio.delta');
    expect(Buffer.from(first?.delta ?? '', 'base64')).toHaveLength(800);
  });

  it('can override the settings of the session, for this response alone', () => {
    const talk = converse(realtime({ audio: { output: { voice: 'cedar' } } }));
    const response = { output_modalities: ['text' as const], metadata: { topic: 'test' }, max_output_tokens: 40 };
    expect(only(talk.send({ ...CREATE, response }), 'response.created').response).toMatchObject(response);
    talk.wait();
    expect(only(talk.send(CREATE), 'response.created').response).toMatchObject({
      output_modalities: ['audio'],
      metadata: null,
      max_output_tokens: 'inf',
      audio: { output: { voice: 'cedar' } },
    });
  });

  it('ends incomplete at max_output_tokens', () => {
    const talk = converse();
    talk.write('one two three four five');
    // Three words are 15 characters, and so 4 tokens of text; with 300 ms of audio, 6 of audio.
    const events = [...talk.send({ ...CREATE, response: { max_output_tokens: 10 } }), ...talk.wait()];
    expect(only(events, 'response.done').response).toMatchObject({
      status: 'incomplete',
      status_details: { type: 'incomplete', reason: 'max_output_tokens' },
      output: [{ status: 'incomplete', content: [{ transcript: 'You said: one ' }] }],
      usage: { output_tokens: 10, output_token_details: { text_tokens: 4, audio_tokens: 6 } },
    });
  });

  it('is refused while another response is in progress', () => {
    const talk = converse();
    const { response } = only(talk.send(CREATE), 'response.created');
    expect(errorIn(talk.send({ ...CREATE, event_id: 'mine' }))).toEqual({
      type: 'invalid_request_error',
      code: 'conversation_already_has_active_response',
      message: `Conversation already has an active response in progress: ${response.id}. Wait until the response is finished before creating a new one.`,
      param: null,
      event_id: 'mine',
    });
    expect(all(talk.wait(), 'response.done')).toHaveLength(1);
    expect(types(talk.send(CREATE))[0]).toBe('response.created');
  });

  it('is refused in a transcription session', () => {
    expect(errorIn(converse({ type: 'transcription' }).send(CREATE))).toMatchObject({ code: 'invalid_value' });
  });

  it.each([
    ['an unknown setting', { temperature: 1 }, 'unknown_parameter', 'response.temperature'],
    ['a text for the tools', { tools: 'none' }, 'invalid_type', 'response.tools'],
    ['an unknown conversation', { conversation: 'conv_1' }, 'invalid_value', 'response.conversation'],
    ['both modalities', { output_modalities: ['text', 'audio'] }, 'invalid_value', 'response.output_modalities'],
    ['no tokens', { max_output_tokens: 0 }, 'integer_below_min_value', 'response.max_output_tokens'],
    ['too many tokens', { max_output_tokens: 4097 }, 'integer_above_max_value', 'response.max_output_tokens'],
    ['a number as metadata', { metadata: { a: 1 } }, 'invalid_value', 'response.metadata.a'],
    [
      'too much metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, ''])) },
      'invalid_value',
      'response.metadata',
    ],
    [
      'an unknown reference',
      { input: [{ type: 'item_reference', id: 'none' }] },
      'invalid_value',
      'response.input[0].id',
    ],
    ['an invalid item', { input: [userMessage('x'), null] }, 'missing_required_parameter', 'response.input[1].type'],
  ])('is refused with %s', (_case, response, code, param) => {
    expect(errorIn(converse().sendAny({ ...CREATE, response }))).toMatchObject({ code, param });
  });

  it('is refused with another voice once the model has spoken', () => {
    const talk = converse();
    const response = { audio: { output: { voice: 'cedar' } } };
    expect(types(talk.send({ ...CREATE, response }))).toContain('response.created');
    talk.wait();
    expect(errorIn(talk.send({ ...CREATE, response }))).toMatchObject({ code: 'cannot_update_voice' });
  });
});

describe('a response out of band', () => {
  const BESIDE = { ...CREATE, response: { conversation: 'none', input: [userMessage('side')] } };

  it('adds nothing to the conversation', () => {
    const talk = converse();
    const events = [...talk.sendAny(BESIDE), ...talk.wait()];
    expect(ladder(events).filter((type) => type.startsWith('conversation.'))).toEqual([]);
    const { response } = only(events, 'response.done');
    expect(response).toMatchObject({
      conversation_id: null,
      output: [{ content: [{ transcript: 'You said: side' }] }],
    });
    const [item] = response.output ?? [];
    expect(errorIn(talk.send({ type: 'conversation.item.retrieve', item_id: idOf(item ?? {}) }))).toMatchObject({
      code: 'item_retrieve_invalid_item_id',
    });
  });

  it('runs beside that of the conversation, and is not interrupted by speech', () => {
    const talk = converse();
    talk.send(CREATE);
    talk.sendAny(BESIDE);
    const cancelled = only(talk.speak(100), 'response.done').response;
    expect(cancelled.conversation_id).not.toBeNull();
    expect(only(talk.wait(), 'response.done').response).toMatchObject({ conversation_id: null, status: 'completed' });
  });

  it('can refer to items of the conversation', () => {
    const talk = converse();
    const id = talk.write('earlier');
    talk.write('later');
    const response = { conversation: 'none', input: [{ type: 'item_reference', id }] };
    talk.sendAny({ ...CREATE, response });
    expect(only(talk.wait(), 'response.output_audio_transcript.done').transcript).toBe('You said: earlier');
  });
});

describe('response.cancel', () => {
  it('ends the response of the conversation with what there is so far', () => {
    const talk = converse();
    talk.write('one two three');
    talk.send(CREATE);
    talk.wait(60);
    const events = talk.send({ type: 'response.cancel' });
    expect(types(events)).toEqual(MESSAGE.slice(7));
    expect(only(events, 'response.done').response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'client_cancelled' },
      output: [{ status: 'incomplete', content: [{ transcript: 'You said: one ' }] }],
      usage: { output_token_details: { text_tokens: 4, audio_tokens: 6 } },
    });
    expect(talk.wait()).toEqual([]);
  });

  it('ends the response with the given id', () => {
    const talk = converse();
    talk.send(CREATE);
    const response = { conversation: 'none' };
    const { response: beside } = only(talk.send({ ...CREATE, response }), 'response.created');
    const cancelled = talk.send({ type: 'response.cancel', response_id: idOf(beside) });
    expect(only(cancelled, 'response.done').response.id).toBe(beside.id);
    expect(only(talk.wait(), 'response.done').response.status).toBe('completed');
  });

  it.each([{}, { response_id: 'resp_none' }])('refuses %j if there is no such response', (which) => {
    expect(errorIn(converse().send({ type: 'response.cancel', ...which, event_id: 'mine' }))).toEqual({
      type: 'invalid_request_error',
      code: 'response_cancel_not_active',
      message: 'Cancellation failed: no active response found',
      param: null,
      event_id: 'mine',
    });
  });
});

describe('output_audio_buffer.clear', () => {
  const CLEAR = { type: 'output_audio_buffer.clear' } as const;

  it('stops what is played, and truncates it', () => {
    const talk = converse(realtime(), 'webrtc');
    talk.send(CREATE);
    talk.wait(220);
    const { response } = only(talk.send(CREATE), 'response.created');
    expect(types(talk.send(CLEAR))).toEqual(['output_audio_buffer.cleared', 'conversation.item.truncated']);
    expect(response.status).toBe('in_progress');
  });

  it('silences the rest of a response that continues', () => {
    const talk = converse(realtime(), 'webrtc');
    talk.send(CREATE);
    talk.wait(40);
    expect(types(talk.send(CLEAR))).toEqual(['output_audio_buffer.cleared']);
    const events = talk.wait();
    expect(only(events, 'response.done').response.status).toBe('completed');
    expect(types(events).join()).not.toContain('output_audio_buffer');
    expect(talk.played).toEqual([]);
  });

  it('does nothing while nothing is played', () => {
    expect(converse(realtime(), 'webrtc').send(CLEAR)).toEqual([]);
  });

  it('is refused over a WebSocket', () => {
    expect(errorIn(converse().send(CLEAR))).toMatchObject({ code: 'invalid_value', param: 'type' });
  });
});

describe('a function call', () => {
  const parameters = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 2 },
      unit: { enum: ['C', 'F'] },
      when: {},
    },
    required: ['city', 'days', 'unit'],
  };
  const tools = [
    { type: 'function' as const, name: 'tell_time' },
    { type: 'function' as const, name: 'look_up_weather', parameters },
  ];

  it('is made when the user names the function, with arguments that its schema allows', () => {
    const talk = converse(realtime({ tools }));
    talk.write('Please LOOK_UP_WEATHER for me');
    const events = [...talk.send(CREATE), ...talk.wait()];
    expect(ladder(events)).toEqual([
      ...MESSAGE.slice(0, 4),
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      ...MESSAGE.slice(-3),
    ]);
    const done = only(events, 'response.function_call_arguments.done');
    expect(JSON.parse(done.arguments)).toEqual({ city: 'sample', days: 2, unit: 'C' });
    const deltas = all(events, 'response.function_call_arguments.delta').map(({ delta }) => delta);
    expect(deltas.join('')).toBe(done.arguments);
    expect(only(events, 'response.done').response).toMatchObject({
      output: [
        {
          type: 'function_call',
          id: done.item_id,
          call_id: done.call_id,
          name: 'look_up_weather',
          arguments: done.arguments,
          status: 'completed',
        },
      ],
      usage: { output_token_details: { audio_tokens: 0 } },
    });
  });

  it('is followed by its output, which the next response repeats', () => {
    const talk = converse(realtime({ tools, tool_choice: 'required' }));
    talk.speak(200, 500);
    const { call_id: callId, name } = only(talk.wait(), 'response.function_call_arguments.done');
    expect(name).toBe('tell_time');
    const output = { type: 'function_call_output', call_id: callId, output: 'noon' } as const;
    expect(types(talk.send({ type: 'conversation.item.create', item: output }))).toEqual([
      'conversation.item.added',
      'conversation.item.done',
    ]);
    talk.send(CREATE);
    expect(only(talk.wait(), 'response.output_audio_transcript.done').transcript).toBe('The function returned noon');
  });

  it.each([
    ['none', undefined],
    ['auto', 'tell_time'],
    ['required', 'tell_time'],
    [{ type: 'function', name: 'look_up_weather' }, 'look_up_weather'],
  ] as const)('obeys the tool_choice %j', (choice, name) => {
    const talk = converse(realtime({ tools }));
    talk.write('tell_time');
    talk.send({ ...CREATE, response: { tool_choice: choice } });
    expect(all(talk.wait(), 'response.function_call_arguments.done')[0]?.name).toBe(name);
  });

  it('of a tool on an MCP server is never made', () => {
    const tool = { type: 'mcp', server_label: 'docs', server_url: 'https://docs.example' } as const;
    const talk = converse(realtime({ tools: [tool], tool_choice: 'required' }));
    talk.send(CREATE);
    expect(all(talk.wait(), 'response.output_audio_transcript.done')).toHaveLength(1);
  });
});

describe('the greeting', () => {
  it('comes at once, so that a client can ask for a response of its own', () => {
    expect(ladder(converse().greeting)).toEqual(['session.created', 'conversation.created', ...MESSAGE]);
  });

  it('does not fix the voice', () => {
    const session = realtime({ audio: { output: { voice: 'cedar' } } });
    expect(types(converse().send({ type: 'session.update', session }))).toEqual(['session.updated']);
  });
});

describe('listeners', () => {
  it('all get the same events, until they stop', () => {
    const talk = converse();
    const heard: unknown[] = [];
    const stop = talk.conversation.listen((event) => heard.push(event));
    const events = talk.send(CREATE);
    expect(heard).toEqual(events);
    expect(new Set(events.map((event) => 'event_id' in event && event.event_id)).size).toBe(events.length);
    stop();
    expect(talk.wait()).not.toEqual([]);
    expect(heard).toEqual(events);
  });

  it('get nothing after the end', () => {
    const talk = converse(realtime(), 'webrtc');
    talk.send(CREATE);
    talk.conversation.end();
    expect(talk.wait()).toEqual([]);
    expect(talk.played).toEqual([]);
    expect(talk.send(CREATE)).toEqual([]);
  });
});
