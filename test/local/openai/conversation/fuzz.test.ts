import fc from 'fast-check';
import { expect, it } from 'vitest';
import { converse, types } from './conversing.ts';

const ID = fc.constantFrom('mine', 'yours', 'root', '');
const ITEM = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('message', 'function_call', 'function_call_output', 'mcp_call', 'item_reference'),
      role: fc.constantFrom('user', 'assistant', 'system'),
      id: ID,
      call_id: ID,
      name: fc.string(),
      arguments: fc.string(),
      output: fc.string(),
      content: fc.array(
        fc.record(
          {
            type: fc.constantFrom('input_text', 'input_audio', 'output_text'),
            text: fc.string(),
            audio: fc.base64String(),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const SETTINGS = fc.record(
  {
    type: fc.constant('realtime'),
    conversation: fc.constantFrom('auto', 'none'),
    instructions: fc.string(),
    input: fc.array(ITEM),
    tools: fc.array(
      fc.record(
        { type: fc.constantFrom('function', 'mcp'), name: fc.string(), parameters: fc.jsonValue() },
        { requiredKeys: ['type'] },
      ),
    ),
    tool_choice: fc.oneof(fc.constantFrom('auto', 'required', 'none'), fc.jsonValue()),
    output_modalities: fc.constantFrom(['text'], ['audio'], []),
    max_output_tokens: fc.oneof(fc.integer(), fc.constant('inf')),
    metadata: fc.jsonValue(),
    audio: fc.record(
      {
        input: fc.record(
          {
            format: fc.oneof(
              fc.record({ type: fc.constantFrom('audio/pcm', 'audio/pcmu', 'audio/pcma') }),
              fc.jsonValue(),
            ),
            transcription: fc.oneof(fc.record({ model: fc.jsonValue() }), fc.jsonValue()),
            turn_detection: fc.oneof(
              fc.record({ type: fc.constantFrom('server_vad', 'semantic_vad') }),
              fc.jsonValue(),
            ),
          },
          { requiredKeys: [] },
        ),
        output: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const EVENT = fc.record(
  {
    type: fc.constantFrom(
      'session.update',
      'input_audio_buffer.append',
      'input_audio_buffer.commit',
      'conversation.item.create',
      'conversation.item.retrieve',
      'conversation.item.truncate',
      'conversation.item.delete',
      'response.create',
      'response.cancel',
    ),
    session: SETTINGS,
    response: SETTINGS,
    item: ITEM,
    item_id: ID,
    previous_item_id: ID,
    audio: fc.base64String(),
    content_index: fc.nat(2),
    audio_end_ms: fc.integer(),
  },
  { requiredKeys: ['type'] },
);
/** Only these fields are known to the event, so that not every event is refused for its fields. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'session.update': ['session'],
  'input_audio_buffer.append': ['audio'],
  'conversation.item.create': ['item', 'previous_item_id'],
  'conversation.item.retrieve': ['item_id'],
  'conversation.item.truncate': ['item_id', 'content_index', 'audio_end_ms'],
  'conversation.item.delete': ['item_id'],
  'response.create': ['response'],
};

it('answers whatever clients send, and survives it', () => {
  fc.assert(
    fc.property(fc.array(EVENT, { minLength: 1, maxLength: 6 }), (sent) => {
      const talk = converse();
      for (const event of sent) {
        const fields = Object.entries(event).filter(([name]) => ['type', ...(FIELDS[event.type] ?? [])].includes(name));
        const answers = talk.sendAny(Object.fromEntries(fields));
        expect(answers.length > 0 || event.type === 'input_audio_buffer.append').toBe(true);
        talk.wait(10);
      }
      talk.speak(200, 500);
      talk.wait();
      expect(types(talk.sendAny({ type: 'input_audio_buffer.clear' }))).toEqual(['input_audio_buffer.cleared']);
    }),
    { numRuns: 300 },
  );
});
