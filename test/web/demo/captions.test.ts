import { describe, expect, it } from 'vitest';
import type { RealtimeEvent } from '../../../web/client/transport/realtime-event.ts';
import { type Captions, captionsAfter, captionsAtEnd, MAX_CAPTIONS } from '../../../web/demo/captions/captions.ts';
import { sentencesOf } from '../../../web/demo/captions/sentences.ts';

const HEARD = 'conversation.item.input_audio_transcription';
const SAID = 'response.output_audio_transcript';

const captionsOf = (...events: readonly RealtimeEvent[]) => events.reduce<Captions>(captionsAfter, []);
const texts = (captions: Captions) => captions.map(({ speaker, text }) => `${speaker}: ${text}`);
const placed = (id: string, role: string, previous?: string): RealtimeEvent => ({
  type: 'conversation.item.added',
  previous_item_id: previous,
  item: { id, type: 'message', role },
});

describe('captions', () => {
  it('grow with each piece, until the whole text replaces the pieces', () => {
    const pieces = [
      { type: `${SAID}.delta`, item_id: 'a', delta: 'Good ' },
      { type: `${SAID}.delta`, item_id: 'a', delta: 'mourning' },
    ];
    expect(captionsOf(...pieces)).toEqual([{ id: 'a', speaker: 'model', text: 'Good mourning', finished: false }]);
    expect(captionsOf(...pieces, { type: `${SAID}.done`, item_id: 'a', transcript: 'Good morning.' })).toEqual([
      { id: 'a', speaker: 'model', text: 'Good morning.', finished: true },
    ]);
  });

  it('contain both sides, spoken or written', () => {
    const captions = captionsOf(
      { type: `${HEARD}.delta`, item_id: 'a', delta: 'Hi' },
      { type: `${HEARD}.completed`, item_id: 'a', transcript: 'Hi!' },
      { type: 'response.output_text.delta', item_id: 'b', delta: 'Hel' },
      { type: 'response.output_text.done', item_id: 'b', text: 'Hello.' },
    );
    expect(texts(captions)).toEqual(['visitor: Hi!', 'model: Hello.']);
  });

  it('are in the order of the conversation, even if a question is transcribed after its answer', () => {
    const captions = captionsOf(
      placed('greeting', 'assistant'),
      placed('question', 'user', 'greeting'),
      placed('answer', 'assistant', 'question'),
      { type: `${SAID}.done`, item_id: 'answer', transcript: 'At nine.' },
      { type: `${HEARD}.completed`, item_id: 'question', transcript: 'When?' },
      { type: `${SAID}.done`, item_id: 'greeting', transcript: 'Hello.' },
    );
    expect(texts(captions)).toEqual(['model: Hello.', 'visitor: When?', 'model: At nine.']);
  });

  it('follow the item that the event names, and appear only once', () => {
    const captions = captionsOf(
      placed('a', 'user'),
      placed('c', 'user', 'a'),
      placed('b', 'user', 'a'),
      placed('b', 'user'),
    );
    expect(captions.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('are limited in number: the oldest are removed', () => {
    const many = Array.from({ length: MAX_CAPTIONS + 5 }, (_, n) => ({
      type: `${SAID}.done`,
      item_id: `item-${n}`,
      transcript: `${n}`,
    }));
    const captions = captionsOf(...many);
    expect([captions.length, captions[0]?.text]).toEqual([MAX_CAPTIONS, '5']);
  });

  it.each([
    { type: 'error' },
    { type: `${SAID}.delta`, delta: 'of nothing' },
    { type: `${SAID}.delta`, item_id: 7, delta: 'x' },
    { type: `${SAID}.done`, item_id: 'a', transcript: null },
    { type: 'conversation.item.added', item: null },
    { type: 'conversation.item.added', item: { id: 'f', type: 'function_call' } },
  ])('ignore %j', (event) => {
    expect(captionsOf(event)).toEqual([]);
  });

  it('are finished when the connection ends', () => {
    const captions = captionsAtEnd(captionsOf({ type: `${SAID}.delta`, item_id: 'a', delta: 'I was' }));
    expect(captions).toMatchObject([{ text: 'I was', finished: true }]);
  });
});

describe('sentences', () => {
  it.each([
    ['', false, [], ''],
    ['It is 3.', false, [], 'It is 3.'],
    ['It is 3.5 degrees. Take', false, ['It is 3.5 degrees. '], 'Take'],
    ['Hello. Who is', true, ['Hello. ', 'Who is'], ''],
    ['こんにちは。今日は', false, ['こんにちは。'], '今日は'],
  ])('of %j, finished: %s', (text, finished, complete, unfinished) => {
    expect(sentencesOf(text, finished, 'ja')).toEqual({ complete, unfinished });
  });
});
