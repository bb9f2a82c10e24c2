import { describe, expect, it } from 'vitest';
import { converse, errorIn, only, realtime, types } from './conversing.ts';

const update = (session: object) => ({
  type: 'session.update',
  event_id: 'mine',
  session: { type: 'realtime', ...session },
});
const speech = (talk: ReturnType<typeof converse>) => {
  talk.send({ type: 'response.create' });
  return talk.wait();
};

describe('session.created', () => {
  it('shows the settings of the key, and the defaults of the others', () => {
    const session = realtime({ instructions: 'Be kind.', audio: { output: { voice: 'cedar' } } });
    const { greeting } = converse(session);
    expect(only(greeting, 'session.created').session).toEqual({
      id: expect.stringMatching(/^sess_/),
      object: 'realtime.session',
      type: 'realtime',
      model: 'gpt-realtime-2.1-mini',
      expires_at: expect.any(Number),
      instructions: 'Be kind.',
      output_modalities: ['audio'],
      tools: [],
      tool_choice: 'auto',
      max_output_tokens: 'inf',
      tracing: null,
      truncation: 'auto',
      prompt: null,
      include: null,
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: null,
          noise_reduction: null,
          turn_detection: {
            type: 'server_vad',
            threshold: 0.5,
            prefix_padding_ms: 300,
            silence_duration_ms: 200,
            idle_timeout_ms: null,
            create_response: true,
            interrupt_response: true,
          },
        },
        output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'cedar', speed: 1 },
      },
    });
  });

  it('shows of a transcription session only what it has', () => {
    const { session } = only(converse({ type: 'transcription' }).greeting, 'session.created');
    expect(Object.keys(session).toSorted()).toEqual(['audio', 'expires_at', 'id', 'include', 'object', 'type']);
    expect(session).toMatchObject({ object: 'realtime.transcription_session', audio: { input: {} } });
    expect(session.audio).not.toHaveProperty('output');
  });
});

describe('session.update', () => {
  it('changes only the fields that are present, also below audio', () => {
    const talk = converse(realtime({ instructions: 'Be kind.' }));
    const turn_detection = { type: 'server_vad', silence_duration_ms: 900 };
    talk.sendAny(update({ audio: { input: { turn_detection, transcription: { model: 'whisper-1' } } } }));
    const [updated] = talk.sendAny(
      update({ tools: [], audio: { input: { turn_detection: { type: 'server_vad', threshold: 0.9 } } } }),
    );
    expect(updated).toMatchObject({
      type: 'session.updated',
      session: {
        instructions: 'Be kind.',
        audio: {
          input: {
            transcription: { model: 'whisper-1' },
            turn_detection: { silence_duration_ms: 900, threshold: 0.9, prefix_padding_ms: 300 },
          },
        },
      },
    });
  });

  it.each([
    [
      'turn_detection',
      { type: 'semantic_vad' },
      { type: 'semantic_vad', eagerness: 'auto', create_response: true, interrupt_response: true },
    ],
    ['turn_detection', null, null],
    ['transcription', null, null],
    ['noise_reduction', { type: 'near_field' }, { type: 'near_field' }],
    ['format', { type: 'audio/pcmu' }, { type: 'audio/pcmu' }],
  ])('replaces %s by %j', (setting, value, effective) => {
    const talk = converse(realtime({ audio: { input: { transcription: { model: 'whisper-1' } } } }));
    const { session } = only(talk.sendAny(update({ audio: { input: { [setting]: value } } })), 'session.updated');
    expect(session).toHaveProperty(['audio', 'input', setting], effective);
  });

  it.each([
    ['no type', { type: undefined }, 'missing_required_parameter', 'session.type'],
    ['another type', { type: 'transcription' }, 'invalid_value', 'session.type'],
    ['an unknown type', { type: 'translation' }, 'invalid_value', 'session.type'],
    ['a setting of the beta', { modalities: ['text'] }, 'unknown_parameter', 'session.modalities'],
    ['a number for a text', { instructions: 7 }, 'invalid_type', 'session.instructions'],
    ['an unknown model', { model: 'gpt-unreal' }, 'model_not_found', null],
    ['another model', { model: 'gpt-realtime-2.1' }, 'cannot_update_model', null],
    ['both modalities', { output_modalities: ['text', 'audio'] }, 'invalid_value', 'session.output_modalities'],
    ['too many tokens', { max_output_tokens: 5_000 }, 'integer_above_max_value', 'session.max_output_tokens'],
    ['a word for tokens', { max_output_tokens: 'many' }, 'invalid_value', 'session.max_output_tokens'],
    ['an unknown tool_choice', { tool_choice: 'maybe' }, 'invalid_value', 'session.tool_choice'],
    ['a tool without a type', { tools: [{ name: 'look' }] }, 'missing_required_parameter', 'session.tools[0].type'],
    ['a tool that is null', { tools: [null] }, 'missing_required_parameter', 'session.tools[0].type'],
    ['an unknown tool', { tools: [{ type: 'web_search' }] }, 'invalid_value', 'session.tools[0].type'],
  ])('is refused with %s', (_case, session, code, param) => {
    const talk = converse();
    expect(errorIn(talk.sendAny(update(session)))).toMatchObject({ code, param, event_id: 'mine' });
  });

  it.each([
    ['input.format.type', 'audio/mp3', 'invalid_value'],
    ['input.format.rate', 16_000, 'invalid_value'],
    ['input.noise_reduction.type', 'far', 'invalid_value'],
    ['input.transcription.model', 7, 'invalid_type'],
    ['input.turn_detection.type', 'magic', 'invalid_value'],
    ['input.turn_detection.eagerness', 'very', 'invalid_value'],
    ['input.turn_detection.threshold', 1.1, 'decimal_above_max_value'],
    ['input.turn_detection.threshold', '0.5', 'invalid_type'],
    ['input.turn_detection.silence_duration_ms', -1, 'integer_below_min_value'],
    ['input.turn_detection.idle_timeout_ms', 0, 'integer_below_min_value'],
    ['output.format.type', 'pcm16', 'invalid_value'],
    ['output.speed', 2, 'decimal_above_max_value'],
    ['output.voice', 'nobody', 'invalid_value'],
  ])('is refused with audio.%s: %j', (path, value, code) => {
    const talk = converse();
    const [side = '', group = '', field] = path.split('.');
    const detection = group === 'turn_detection' && field !== 'type' ? { type: 'server_vad' } : {};
    const audio = { [side]: { [group]: field === undefined ? value : { ...detection, [field]: value } } };
    expect(errorIn(talk.sendAny(update({ audio })))).toMatchObject({ code, param: `session.audio.${path}` });
  });

  it('is refused without the type of the turn detection', () => {
    const audio = { input: { turn_detection: { threshold: 0.5 } } };
    expect(errorIn(converse().sendAny(update({ audio })))).toMatchObject({ code: 'missing_required_parameter' });
  });

  it('changes nothing when it is refused', () => {
    const talk = converse(realtime({ instructions: 'Be kind.' }));
    talk.sendAny(update({ instructions: 'Be rude.', tool_choice: 'maybe' }));
    expect(only(talk.sendAny(update({})), 'session.updated').session).toMatchObject({ instructions: 'Be kind.' });
  });

  it('can repeat what cannot be changed', () => {
    const talk = converse(realtime({ tracing: 'auto', audio: { output: { voice: 'cedar', speed: 1.2 } } }));
    speech(talk);
    const same = { model: 'gpt-realtime-2.1-mini', tracing: 'auto', audio: { output: { voice: 'cedar', speed: 1.2 } } };
    expect(types(talk.sendAny(update(same)))).toEqual(['session.updated']);
  });

  it('cannot change the voice once the model has spoken', () => {
    const talk = converse();
    speech(talk);
    expect(errorIn(talk.sendAny(update({ audio: { output: { voice: 'cedar' } } })))).toEqual({
      type: 'invalid_request_error',
      code: 'cannot_update_voice',
      message: "Cannot update a conversation's voice if assistant audio is present.",
      param: null,
      event_id: 'mine',
    });
  });

  it('can change the voice after text', () => {
    const talk = converse(realtime({ output_modalities: ['text'] }));
    speech(talk);
    expect(types(talk.sendAny(update({ audio: { output: { voice: { id: 'voice_1' } } } })))).toEqual([
      'session.updated',
    ]);
  });

  it('can change the speed between responses only', () => {
    const talk = converse();
    talk.send({ type: 'response.create' });
    const faster = update({ audio: { output: { speed: 1.5 } } });
    expect(errorIn(talk.sendAny(faster))).toMatchObject({ code: 'cannot_update_speed' });
    talk.wait();
    expect(types(talk.sendAny(faster))).toEqual(['session.updated']);
  });

  it('can turn tracing on, and then no longer change it', () => {
    const talk = converse();
    expect(types(talk.sendAny(update({ tracing: 'auto' })))).toEqual(['session.updated']);
    expect(errorIn(talk.sendAny(update({ tracing: null })))).toMatchObject({ code: 'cannot_update_tracing' });
  });

  it('takes effect at once', () => {
    const talk = converse();
    talk.sendAny(update({ audio: { input: { turn_detection: null } } }));
    expect(talk.speak(200, 1_000)).toEqual([]);
  });
});
