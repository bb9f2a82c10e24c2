import { describe, expect, it } from 'vitest';
import { toBase64 } from '../../../../local/openai/calls/audio-formats.ts';
import { tone } from '../../../../local/openai/calls/voice.ts';
import { all, converse, errorIn, only, pcm, realtime, silence, types } from './conversing.ts';

const COMMIT = { type: 'input_audio_buffer.commit' } as const;
const TRANSCRIBED = { transcription: { model: 'gpt-4o-mini-transcribe' } } as const;

function withInput(input: object) {
  return realtime({ audio: { input } });
}

describe('with turn detection, which is the default', () => {
  it('commits what was said between two silences, transcribes it, and responds', () => {
    const talk = converse(withInput(TRANSCRIBED));
    const events = talk.speak(200, 200);
    expect(types(events)).toEqual([
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
      'response.created',
      'rate_limits.updated',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
    ]);
    const ids = events.flatMap((event) => ('item_id' in event && event.type.startsWith('input') ? event.item_id : []));
    expect(new Set(ids).size).toBe(1);
    expect(only(talk.wait(), 'response.output_audio_transcript.done').transcript).toBe('I heard beep 1.');
  });

  it('tells where in all audio the speech is, with its padding and the silence that ended it', () => {
    const talk = converse();
    talk.speak(0, 1_000);
    const events = talk.speak(200, 500);
    expect(only(events, 'input_audio_buffer.speech_started').audio_start_ms).toBe(700);
    expect(only(events, 'input_audio_buffer.speech_stopped').audio_end_ms).toBe(1_400);
  });

  it.each([
    [{ silence_duration_ms: 400 }, 380, false],
    [{ silence_duration_ms: 400 }, 400, true],
    [{ threshold: 1 }, 200, true],
    [{ type: 'semantic_vad' }, 200, true],
  ])('obeys %j: %d ms of silence end the speech is %s', (settings, silenceMs, isEnd) => {
    const talk = converse(withInput({ turn_detection: { type: 'server_vad', ...settings } }));
    expect(all(talk.speak(200, silenceMs), 'input_audio_buffer.speech_stopped')).toHaveLength(isEnd ? 1 : 0);
  });

  it('does not end a sentence at its pauses', () => {
    const talk = converse();
    const events = Array.from({ length: 5 }, () => talk.speak(60, 180)).flat();
    expect(types(events)).toEqual(['input_audio_buffer.speech_started']);
    expect(types(talk.speak(0, 20))[0]).toBe('input_audio_buffer.speech_stopped');
  });

  it('obeys prefix_padding_ms', () => {
    const talk = converse(withInput({ turn_detection: { type: 'server_vad', prefix_padding_ms: 100 } }));
    talk.speak(0, 1_000);
    expect(only(talk.speak(200), 'input_audio_buffer.speech_started').audio_start_ms).toBe(900);
  });

  it('does not respond without create_response', () => {
    const talk = converse(withInput({ turn_detection: { type: 'server_vad', create_response: false } }));
    expect(types(talk.speak(200, 500)).at(-1)).toBe('conversation.item.done');
    expect(talk.wait()).toEqual([]);
  });

  it('sends no transcript that nobody asked for', () => {
    expect(types(converse().speak(200, 500)).join()).not.toContain('transcription');
  });

  it('only commits and transcribes in a transcription session', () => {
    const talk = converse({ type: 'transcription', audio: { input: TRANSCRIBED } });
    expect(types(talk.greeting)).toEqual(['session.created', 'conversation.created']);
    expect(types(talk.speak(200, 500)).at(-1)).toBe('conversation.item.input_audio_transcription.completed');
    expect(talk.wait()).toEqual([]);
  });

  it('lets a client commit in the middle of a sentence, which ends the speech without an event', () => {
    const talk = converse();
    const { item_id: id } = only(talk.speak(200), 'input_audio_buffer.speech_started');
    const events = talk.send(COMMIT);
    expect(types(events)).toEqual([
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
    ]);
    expect(only(events, 'input_audio_buffer.committed').item_id).toBe(id);
    expect(talk.speak(0, 1_000)).toEqual([]);
  });
});

describe('without turn detection', () => {
  const MANUAL = withInput({ turn_detection: null, ...TRANSCRIBED });

  it('keeps everything until the client commits it, and does not respond', () => {
    const talk = converse(MANUAL);
    expect(talk.speak(100, 1_000)).toEqual([]);
    const events = talk.send(COMMIT);
    expect(types(events)).toEqual([
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'conversation.item.input_audio_transcription.delta',
      'conversation.item.input_audio_transcription.completed',
    ]);
    const { usage } = only(events, 'conversation.item.input_audio_transcription.completed');
    expect(usage).toEqual({
      type: 'tokens',
      input_tokens: 11,
      output_tokens: 2,
      total_tokens: 13,
      input_token_details: { audio_tokens: 11, text_tokens: 0 },
    });
    expect(talk.wait()).toEqual([]);
  });

  it('counts the seconds of a transcription by Whisper', () => {
    const talk = converse(withInput({ turn_detection: null, transcription: { model: 'whisper-1' } }));
    talk.speak(250);
    const { usage } = only(talk.send(COMMIT), 'conversation.item.input_audio_transcription.completed');
    expect(usage).toEqual({ type: 'duration', seconds: 0.25 });
  });

  it('transcribes silence as nothing', () => {
    const talk = converse(MANUAL);
    talk.speak(0, 300);
    const { transcript } = only(talk.send(COMMIT), 'conversation.item.input_audio_transcription.completed');
    expect(transcript).toBe('');
  });

  it.each([0, 80])('refuses to commit %d ms', (ms) => {
    const talk = converse(MANUAL);
    talk.speak(ms);
    expect(errorIn(talk.send(COMMIT))).toEqual({
      type: 'invalid_request_error',
      code: 'input_audio_buffer_commit_empty',
      message: `Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`,
      param: null,
      event_id: null,
    });
  });

  it('commits 100 ms', () => {
    const talk = converse(MANUAL);
    talk.speak(100);
    expect(types(talk.send(COMMIT))[0]).toBe('input_audio_buffer.committed');
  });

  it('forgets what is cleared', () => {
    const talk = converse(MANUAL);
    talk.speak(300);
    expect(talk.send({ type: 'input_audio_buffer.clear' })).toMatchObject([{ type: 'input_audio_buffer.cleared' }]);
    expect(errorIn(talk.send(COMMIT))).toMatchObject({ code: 'input_audio_buffer_commit_empty' });
  });
});

describe('input_audio_buffer.append', () => {
  it.each(['audio/pcmu', 'audio/pcma'] as const)('takes %s if the session has that format', (type) => {
    const talk = converse(withInput({ turn_detection: null, format: { type } }));
    talk.send({ type: 'input_audio_buffer.append', audio: toBase64(tone(90), type) });
    expect(errorIn(talk.send(COMMIT)).message).toContain('only has 90.00ms');
  });

  it.each(['no base64', 'AAA=A', 'ünicode', 'A'.repeat(21 * 2 ** 20)])('refuses %.12s', (audio) => {
    expect(errorIn(converse().send({ type: 'input_audio_buffer.append', audio }))).toMatchObject({
      code: 'invalid_value',
      param: 'audio',
    });
  });

  it.each(['', 'AA'])('takes %j, which is not even a sample', (audio) => {
    expect(converse().send({ type: 'input_audio_buffer.append', audio })).toEqual([]);
  });
});

describe('speech during a response', () => {
  const LONG = 'one two three four five six seven eight nine ten';

  function duringResponse(turnDetection: object = {}, transport: 'websocket' | 'webrtc' = 'websocket') {
    const talk = converse(withInput({ turn_detection: { type: 'server_vad', ...turnDetection } }), transport);
    talk.write(LONG);
    const { response } = only(talk.send({ type: 'response.create' }), 'response.created');
    talk.wait(100);
    return { ...talk, responseId: response.id };
  }

  it('cancels it', () => {
    const talk = duringResponse();
    const events = talk.speak(100);
    expect(types(events)).toEqual([
      'input_audio_buffer.speech_started',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
    ]);
    expect(only(events, 'response.done').response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
      output: [{ status: 'incomplete', content: [{ type: 'output_audio', transcript: 'You said: one two three ' }] }],
    });
    expect(talk.wait()).toEqual([]);
  });

  it('over WebRTC, also stops what is played, and truncates what was not heard', () => {
    const talk = duringResponse({}, 'webrtc');
    expect(talk.played.length).toBeGreaterThan(0);
    const events = talk.speak(100);
    expect(types(events).slice(-3)).toEqual([
      'response.done',
      'output_audio_buffer.cleared',
      'conversation.item.truncated',
    ]);
    expect(only(events, 'output_audio_buffer.cleared').response_id).toBe(talk.responseId);
    // The first piece was generated 20 ms after the response began.
    expect(only(events, 'conversation.item.truncated').audio_end_ms).toBe(80);
    expect(talk.played).toEqual([]);
    expect(talk.wait()).toEqual([]);
  });

  it('over WebRTC, stops what is played of a response that is complete', () => {
    const talk = duringResponse({}, 'webrtc');
    expect(only(talk.wait(400), 'response.done').response.status).toBe('completed');
    expect(types(talk.speak(100))).toEqual([
      'input_audio_buffer.speech_started',
      'output_audio_buffer.cleared',
      'conversation.item.truncated',
    ]);
  });

  it('changes nothing without interrupt_response, and the next response is refused', () => {
    const talk = duringResponse({ interrupt_response: false });
    const events = talk.speak(100, 200);
    expect(errorIn(events)).toMatchObject({ code: 'conversation_already_has_active_response', event_id: null });
    expect(only(talk.wait(), 'response.done').response.status).toBe('completed');
  });
});

describe('idle_timeout_ms', () => {
  function idle(transport: 'websocket' | 'webrtc' = 'websocket') {
    const talk = converse(realtime(), transport);
    const turn_detection = { type: 'server_vad', idle_timeout_ms: 5_000 } as const;
    talk.send({ type: 'session.update', session: realtime({ audio: { input: { turn_detection } } }) });
    talk.write('one two three');
    talk.send({ type: 'response.create' });
    return talk;
  }

  it('makes the model speak again, that long after its words have been played', () => {
    const talk = idle();
    // Five words are played for 500 ms, from 20 ms on.
    expect(types(talk.wait(5_519)).at(-1)).toBe('response.done');
    talk.send({ type: 'input_audio_buffer.append', audio: pcm(silence(1_000)) });
    const events = talk.wait(1);
    expect(types(events).slice(0, 5)).toEqual([
      'input_audio_buffer.timeout_triggered',
      'input_audio_buffer.committed',
      'conversation.item.added',
      'conversation.item.done',
      'response.created',
    ]);
    const { item_id: id } = only(events, 'input_audio_buffer.committed');
    expect(events[0]).toMatchObject({ item_id: id, audio_start_ms: 0, audio_end_ms: 1_000 });
  });

  it('does nothing while the caller speaks', () => {
    const talk = idle();
    talk.wait(3_000);
    talk.speak(100);
    expect(talk.wait()).toEqual([]);
  });

  it('does not count from a response that the caller interrupted', () => {
    const turn_detection = { type: 'server_vad', idle_timeout_ms: 5_000, create_response: false } as const;
    const talk = converse(realtime({ audio: { input: { turn_detection } } }));
    talk.write('one two three');
    talk.send({ type: 'response.create' });
    expect(only(talk.speak(100, 300), 'response.done').response.status).toBe('cancelled');
    expect(talk.wait()).toEqual([]);
  });

  it('does nothing once turn detection is off', () => {
    const talk = idle();
    talk.wait(3_000);
    talk.send({ type: 'session.update', session: realtime({ audio: { input: { turn_detection: null } } }) });
    talk.received();
    expect(talk.wait()).toEqual([]);
  });

  it('ends with the conversation', () => {
    const talk = idle();
    talk.conversation.end();
    expect(talk.wait()).toEqual([]);
  });
});
