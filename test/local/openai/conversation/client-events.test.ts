import { describe, expect, it } from 'vitest';
import {
  type ClientEvents,
  type ClientEventType,
  parseClientEvent,
} from '../../../../local/openai/calls/conversation/client-events.ts';
import { converse, errorIn, pcm, realtime, silence, types, userMessage } from './conversing.ts';

/** A valid event of each type, and what answers it on a new conversation. A type that the package adds does not compile. */
const EVENTS = {
  'session.update': [{ type: 'session.update', session: { type: 'realtime' } }, ['session.updated']],
  'input_audio_buffer.append': [{ type: 'input_audio_buffer.append', audio: pcm(silence(100)) }, []],
  'input_audio_buffer.commit': [{ type: 'input_audio_buffer.commit' }, ['error']],
  'input_audio_buffer.clear': [{ type: 'input_audio_buffer.clear' }, ['input_audio_buffer.cleared']],
  'output_audio_buffer.clear': [{ type: 'output_audio_buffer.clear' }, []],
  'conversation.item.create': [
    { type: 'conversation.item.create', item: { ...userMessage('Hi'), content: [{ type: 'input_text', text: 'Hi' }] } },
    ['conversation.item.added', 'conversation.item.done'],
  ],
  'conversation.item.retrieve': [{ type: 'conversation.item.retrieve', item_id: 'none' }, ['error']],
  'conversation.item.truncate': [
    { type: 'conversation.item.truncate', item_id: 'none', content_index: 0, audio_end_ms: 0 },
    ['error'],
  ],
  'conversation.item.delete': [{ type: 'conversation.item.delete', item_id: 'none' }, ['error']],
  'response.create': [
    { type: 'response.create' },
    [
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
    ],
  ],
  'response.cancel': [{ type: 'response.cancel' }, ['error']],
} as const satisfies { [Type in ClientEventType]: readonly [ClientEvents[Type], readonly string[]] };

describe.each(Object.entries(EVENTS))('%s', (_type, [event, answers]) => {
  it('is understood', () => {
    expect(parseClientEvent(JSON.stringify(event))).toEqual({ event });
  });

  it(`is answered by ${answers.join(', ') || 'nothing'}`, () => {
    expect(types(converse(realtime(), 'webrtc').sendAny(event))).toEqual(answers);
  });

  it.each(Object.keys(event).filter((field) => field !== 'type'))('is refused without %s', (field) => {
    const { [field]: _, ...rest }: Record<string, unknown> = { ...event };
    expect(errorIn(converse().sendAny({ ...rest, event_id: 'mine' }))).toEqual({
      type: 'invalid_request_error',
      code: 'missing_required_parameter',
      message: `Missing required parameter: '${field}'.`,
      param: field,
      event_id: 'mine',
    });
  });

  it.each(Object.keys(event).filter((field) => field !== 'type'))('is refused with true for %s', (field) => {
    const refusal = errorIn(converse().sendAny({ ...event, [field]: true }));
    expect(refusal).toMatchObject({ code: 'invalid_type', param: field, event_id: null });
  });

  it('is refused with an unknown field', () => {
    const refusal = errorIn(converse().sendAny({ ...event, event_id: 'mine', volume: 11 }));
    expect(refusal).toMatchObject({ code: 'unknown_parameter', param: 'volume', event_id: 'mine' });
  });
});

describe('an event that no client should send', () => {
  it.each([
    ['no JSON', 'hello', { code: 'invalid_event', param: null, event_id: null }],
    ['an array', '[]', { code: 'invalid_event', param: null, event_id: null }],
    [
      'no type',
      { event_id: 'mine' },
      { code: 'invalid_event', message: "The 'type' field is missing.", event_id: 'mine' },
    ],
    [
      'an unknown type',
      { type: 'response.retry', event_id: 'mine' },
      { code: 'invalid_value', param: 'type', event_id: 'mine' },
    ],
    ['a type that every object inherits', { type: 'constructor' }, { code: 'invalid_value', param: 'type' }],
    [
      'a type of the beta',
      { type: 'transcription_session.update', session: {} },
      { code: 'invalid_value', param: 'type' },
    ],
    ['a type that is no text', { type: 7 }, { code: 'invalid_value', param: 'type' }],
  ])('is refused: %s', (_case, event, error) => {
    expect(errorIn(converse().sendAny(event))).toMatchObject({ type: 'invalid_request_error', ...error });
  });

  it('is told all types that there are', () => {
    const { message } = errorIn(converse().sendAny({ type: 'response.retry' }));
    for (const type of Object.keys(EVENTS)) {
      expect(message).toContain(`'${type}'`);
    }
  });
});
