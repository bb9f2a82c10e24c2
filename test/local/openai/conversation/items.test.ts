import { describe, expect, it } from 'vitest';
import { fromBase64 } from '../../../../local/openai/calls/audio-formats.ts';
import { durationMs } from '../../../../local/openai/calls/voice.ts';
import { all, converse, errorIn, idOf, only, pcm, realtime, silence, userMessage } from './conversing.ts';

const MANUAL = realtime({ audio: { input: { turn_detection: null } } });

/** A conversation whose only items are these texts. */
function conversationOf(...texts: readonly string[]) {
  const talk = converse();
  for (const { item } of all(talk.greeting, 'conversation.item.done')) {
    talk.send({ type: 'conversation.item.delete', item_id: idOf(item) });
  }
  return { ...talk, ids: texts.map(talk.write) };
}

/** A conversation after a response of six words, and so of 600 ms. */
function afterResponse() {
  const talk = converse();
  talk.write('one two three four');
  talk.send({ type: 'response.create' });
  const [item] = only(talk.wait(), 'response.done').response.output ?? [];
  return { ...talk, itemId: idOf(item ?? {}) };
}

describe('conversation.item.create', () => {
  it('adds an item to the end, and reports the one before it', () => {
    const { sendAny, ids } = conversationOf('one');
    const events = sendAny({ type: 'conversation.item.create', item: userMessage('two') });
    const item = {
      id: expect.stringMatching(/^item_/),
      object: 'realtime.item',
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'two' }],
    };
    expect(events).toMatchObject([
      { type: 'conversation.item.added', previous_item_id: ids[0], item },
      { type: 'conversation.item.done', previous_item_id: ids[0], item },
    ]);
  });

  it.each([
    ['at the beginning after "root"', () => 'root', () => null],
    ['after an item in the middle', (ids: string[]) => ids[0], (ids: string[]) => ids[0]],
    ['at the end after an empty text', () => '', (ids: string[]) => ids[1]],
    ['at the end after null', () => null, (ids: string[]) => ids[1]],
  ])('adds an item %s', (_place, previous, expected) => {
    const { sendAny, ids } = conversationOf('one', 'two');
    const item = userMessage('new');
    const events = sendAny({ type: 'conversation.item.create', previous_item_id: previous(ids), item });
    expect(only(events, 'conversation.item.added').previous_item_id).toBe(expected(ids));
  });

  it('keeps the id that a client chose', () => {
    const { sendAny } = conversationOf();
    sendAny({ type: 'conversation.item.create', item: { ...userMessage('one'), id: 'mine' } });
    expect(sendAny({ type: 'conversation.item.retrieve', item_id: 'mine' })).toMatchObject([{ item: { id: 'mine' } }]);
  });

  const part = (role: string, content: object) => ({ type: 'message', role, content: [content] });

  it.each([
    ['a system message', part('system', { type: 'input_text', text: 'Be kind.' })],
    ['an image', part('user', { type: 'input_image', image_url: 'data:image/png;base64,AAAA' })],
    ['text of the assistant', part('assistant', { type: 'output_text', text: 'Hello' })],
    ['a function call', { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }],
    [
      'a request to approve',
      { type: 'mcp_approval_request', id: 'r', server_label: 'x', name: 'look', arguments: '{}' },
    ],
    ['an approval', { type: 'mcp_approval_response', id: 'a', approval_request_id: 'r', approve: true }],
    ['a list of tools', { type: 'mcp_list_tools', server_label: 'x', tools: [] }],
    ['a call of a tool', { type: 'mcp_call', id: 'c', server_label: 'x', name: 'look', arguments: '{}' }],
  ])('adds %s as it is', (_kind, item) => {
    const { sendAny } = converse();
    expect(only(sendAny({ type: 'conversation.item.create', item }), 'conversation.item.done').item).toMatchObject(
      item,
    );
  });

  it.each([
    ['no type', {}, 'missing_required_parameter', 'item.type'],
    ['an unknown type', { type: 'reasoning' }, 'invalid_value', 'item.type'],
    ['a reference', { type: 'item_reference', id: 'x' }, 'invalid_value', 'item.type'],
    ['no role', { type: 'message', content: [] }, 'missing_required_parameter', 'item.role'],
    ['an unknown role', { type: 'message', role: 'tool', content: [] }, 'invalid_value', 'item.role'],
    ['no content', { type: 'message', role: 'user' }, 'missing_required_parameter', 'item.content'],
    ['an unknown field', { ...userMessage('one'), name: 'x' }, 'unknown_parameter', 'item.name'],
    ['a part without a type', part('user', { text: 'one' }), 'missing_required_parameter', 'item.content[0].type'],
    [
      'a part of another role',
      part('user', { type: 'output_text', text: 'one' }),
      'invalid_value',
      'item.content[0].type',
    ],
    ['a part without text', part('user', { type: 'input_text' }), 'missing_required_parameter', 'item.content[0].text'],
    [
      'audio of the assistant',
      part('assistant', { type: 'output_audio', transcript: 'one' }),
      'missing_required_parameter',
      'item.content[0].text',
    ],
    [
      'audio that is not base64',
      part('user', { type: 'input_audio', audio: '???' }),
      'invalid_value',
      'item.content[0].audio',
    ],
    ['a call without a name', { type: 'function_call', arguments: '{}' }, 'missing_required_parameter', 'item.name'],
    [
      'the output of an unknown call',
      { type: 'function_call_output', call_id: 'x', output: '' },
      'invalid_tool_call_id',
      null,
    ],
  ])('refuses %s', (_case, item, code, param) => {
    expect(errorIn(converse().sendAny({ type: 'conversation.item.create', item }))).toMatchObject({ code, param });
  });

  it('refuses an unknown previous item, and an id that is taken', () => {
    const { sendAny, ids } = conversationOf('one');
    const item = userMessage('two');
    expect(errorIn(sendAny({ type: 'conversation.item.create', previous_item_id: 'none', item }))).toMatchObject({
      message: "Error adding item: the item with id 'none' does not exist.",
    });
    expect(errorIn(sendAny({ type: 'conversation.item.create', item: { ...item, id: ids[0] } }))).toMatchObject({
      param: 'item.id',
    });
  });
});

describe('conversation.item.retrieve', () => {
  it('returns what the caller said, with its audio and transcript', () => {
    const talk = converse(
      realtime({ audio: { input: { turn_detection: null, transcription: { model: 'whisper-1' } } } }),
    );
    talk.speak(300);
    const { item_id: id } = only(talk.send({ type: 'input_audio_buffer.commit' }), 'input_audio_buffer.committed');
    const { item } = only(
      talk.send({ type: 'conversation.item.retrieve', item_id: id }),
      'conversation.item.retrieved',
    );
    expect(item).toMatchObject({ role: 'user', content: [{ type: 'input_audio', transcript: 'Beep 1.' }] });
    const [content] = 'content' in item && item.content !== null ? item.content : [];
    const audio = fromBase64(content !== undefined && 'audio' in content ? (content.audio ?? '') : '', 'audio/pcm');
    expect(durationMs(audio ?? new Int16Array())).toBe(300);
  });

  it('leaves out audio that is too long for a data channel', () => {
    const talk = converse(MANUAL, 'webrtc');
    talk.speak(10_000);
    const { item_id: id } = only(talk.send({ type: 'input_audio_buffer.commit' }), 'input_audio_buffer.committed');
    const [event] = talk.send({ type: 'conversation.item.retrieve', item_id: id });
    expect(event).toMatchObject({ item: { content: [{ type: 'input_audio', transcript: null }] } });
    expect(JSON.stringify(event).length).toBeLessThan(1_000);
  });

  it('refuses an unknown item', () => {
    expect(errorIn(converse().send({ type: 'conversation.item.retrieve', item_id: 'none', event_id: 'mine' }))).toEqual(
      {
        type: 'invalid_request_error',
        code: 'item_retrieve_invalid_item_id',
        message: "Error retrieving item: the item with id 'none' does not exist.",
        param: null,
        event_id: 'mine',
      },
    );
  });
});

describe('conversation.item.truncate', () => {
  it('cuts the audio, and removes the transcript', () => {
    const { send, itemId } = afterResponse();
    const cut = { item_id: itemId, content_index: 0, audio_end_ms: 250 } as const;
    expect(send({ type: 'conversation.item.truncate', ...cut })).toMatchObject([
      { type: 'conversation.item.truncated', ...cut },
    ]);
    expect(send({ type: 'conversation.item.retrieve', item_id: itemId })).toMatchObject([
      { item: { content: [{ type: 'output_audio', audio: expect.any(String) }] } },
    ]);
    // What was cut off is gone.
    const again = { ...cut, audio_end_ms: 251 };
    expect(errorIn(send({ type: 'conversation.item.truncate', ...again }))).toMatchObject({
      code: 'invalid_value',
      message: 'Audio content of 250ms is already shorter than 251ms',
    });
  });

  it('allows exactly the length of the audio', () => {
    const { send, itemId } = afterResponse();
    const event = { type: 'conversation.item.truncate', item_id: itemId, content_index: 0, audio_end_ms: 600 } as const;
    expect(send(event)).toMatchObject([{ type: 'conversation.item.truncated' }]);
  });

  it.each([
    ['more than there is', { audio_end_ms: 601 }, 'invalid_value'],
    ['a negative time', { audio_end_ms: -1 }, 'integer_below_min_value'],
    ['half a millisecond', { audio_end_ms: 0.5 }, 'invalid_type'],
    ['an unknown part', { content_index: 1 }, 'unsupported_content_type'],
    ['an unknown item', { item_id: 'none' }, 'item_truncate_invalid_item_id'],
  ])('refuses %s', (_case, change, code) => {
    const { sendAny, itemId } = afterResponse();
    const event = {
      type: 'conversation.item.truncate',
      item_id: itemId,
      content_index: 0,
      audio_end_ms: 100,
      ...change,
    };
    expect(errorIn(sendAny(event))).toMatchObject({ code });
  });

  it('refuses what the user said', () => {
    const talk = converse(MANUAL);
    talk.speak(300);
    const { item_id: id } = only(talk.send({ type: 'input_audio_buffer.commit' }), 'input_audio_buffer.committed');
    const cut = { item_id: id, content_index: 0, audio_end_ms: 100 } as const;
    expect(errorIn(talk.send({ type: 'conversation.item.truncate', ...cut }))).toMatchObject({
      code: 'unsupported_content_type',
      message: 'Only model output audio messages can be truncated',
    });
  });
});

describe('conversation.item.delete', () => {
  it('removes an item, so that the next one follows the one before it', () => {
    const { sendAny, ids } = conversationOf('one', 'two');
    const deletion = { type: 'conversation.item.delete', item_id: ids[1] };
    expect(sendAny(deletion)).toMatchObject([{ type: 'conversation.item.deleted', item_id: ids[1] }]);
    const events = sendAny({ type: 'conversation.item.create', item: userMessage('three') });
    expect(only(events, 'conversation.item.added').previous_item_id).toBe(ids[0]);
    expect(errorIn(sendAny(deletion))).toMatchObject({ code: 'item_delete_invalid_item_id' });
  });

  it('removes an item that is still generated', () => {
    const { send, sendAny, wait } = converse();
    const { item } = only(sendAny({ type: 'response.create' }), 'conversation.item.added');
    send({ type: 'conversation.item.delete', item_id: idOf(item) });
    const events = wait();
    expect(only(events, 'response.done').response.status).toBe('completed');
    expect(all(events, 'conversation.item.done')).toEqual([]);
  });
});

it('keeps audio that a client adds as an item', () => {
  const { sendAny } = converse();
  const content = [{ type: 'input_audio', audio: pcm(silence(120)) }];
  const { item } = only(
    sendAny({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } }),
    'conversation.item.added',
  );
  expect(item).toMatchObject({ content: [{ type: 'input_audio', transcript: null }] });
  const [retrieved] = sendAny({ type: 'conversation.item.retrieve', item_id: idOf(item) });
  expect(retrieved).toMatchObject({ item: { content } });
});
