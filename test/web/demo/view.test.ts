import { describe, expect, it } from 'vitest';
import type { CallState } from '../../../web/client/call-state.ts';
import {
  INITIAL_STATE,
  type PageState,
  pageStateAfter,
  pageStateAt,
  type Situation,
  type SoundProblem,
} from '../../../web/demo/page-state.ts';
import { speechFor, TEXTS } from '../../../web/demo/texts/languages.ts';
import { type View, viewOf } from '../../../web/demo/view.ts';
import { everyState } from './every-state.ts';
import type { ScriptedState } from './scripted-call.ts';
import { NOW } from './scripted-page.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EN = { language: 'en', locale: 'en-US' } as const;
const JA = { language: 'ja', locale: 'ja' } as const;

/** The view does not use the streams, which a scripted state lacks. */
const situationOf = (scripted: ScriptedState): Situation => scripted as CallState;

function stateWith(scripted: ScriptedState, before = INITIAL_STATE): PageState {
  return pageStateAfter(before, situationOf(scripted), NOW);
}

const refusedFor = (ms: number) =>
  stateWith({ name: 'refused', code: 'rate_limited', sentence: 'No.', retryAt: NOW + ms });
const busyFor = (ms: number) => stateWith({ name: 'failed', reason: 'busy', sentence: 'Busy.', retryAt: NOW + ms });
const liveUntil = (until: number) =>
  stateWith({ name: 'live', model: 'gpt', allowance: undefined, since: NOW - MINUTE, until, notice: undefined });

/** The state after a call whose key came with this allowance. */
function endedWith(calls: number, until?: number): PageState {
  const connected = stateWith({ name: 'connecting', model: 'gpt', allowance: { calls, until } });
  return stateWith({ name: 'ended', reason: 'hung-up' }, connected);
}

describe.each([EN, JA])('in each state, in $language', (speech) => {
  it.each([...everyState(speech.language)])(
    '%s: the page shows what is happening and what the button does',
    (_, scripted) => {
      const { headline, sentence, offer, glyph } = viewOf(stateWith(scripted), speech, NOW);
      expect([headline, sentence, offer, glyph].every((text) => text.length > 2)).toBe(true);
    },
  );
});

describe('the button', () => {
  const EXPECTED: Readonly<Record<string, Pick<View, 'offer' | 'press'>>> = {
    idle: { offer: 'call', press: 'start' },
    'asking-for-microphone': { offer: 'cancel', press: 'stop' },
    minting: { offer: 'cancel', press: 'stop' },
    connecting: { offer: 'cancel', press: 'stop' },
    live: { offer: 'hang-up', press: 'stop' },
    'reconnecting-waiting': { offer: 'hang-up', press: 'stop' },
    'reconnecting-offline': { offer: 'hang-up', press: 'stop' },
    refused: { offer: 'try-again', press: undefined },
    'refused-without-time': { offer: 'try-again', press: 'start' },
    'live-microphone-muted': { offer: 'hang-up', press: 'stop' },
    'failed-microphone-blocked': { offer: 'try-again', press: 'start' },
    'failed-microphone-unsupported': { offer: 'reload', press: 'reload' },
    'failed-webrtc-unsupported': { offer: 'reload', press: 'reload' },
    'failed-lost': { offer: 'try-again', press: 'start' },
    'failed-for-a-time': { offer: 'try-again', press: undefined },
    'ended-silence': { offer: 'call-again', press: 'start' },
  };

  it.each(Object.entries(EXPECTED))('%s', (name, expected) => {
    const scripted = everyState('en').get(name);
    expect(scripted && viewOf(stateWith(scripted), EN, NOW)).toMatchObject(expected);
  });

  it('reloads a page without a valid configuration', () => {
    const state = pageStateAfter(INITIAL_STATE, { name: 'misconfigured' }, NOW);
    expect(viewOf(state, EN, NOW)).toMatchObject({ offer: 'reload', press: 'reload' });
  });
});

describe('the countdown', () => {
  it.each([
    [1, '0:01'],
    [1_000, '0:01'],
    [1_001, '0:02'],
    [60_000, '1:00'],
    [HOUR - 1, '1:00:00'],
    [26 * HOUR + 61_000, '26:01:01'],
  ])('of %d ms reads %s', (ms, digits) => {
    expect(viewOf(refusedFor(ms), EN, NOW).countdown?.digits).toBe(digits);
  });

  it('has a ring that runs from full to empty, and stays full if the clock is set back', () => {
    const shares = [-HOUR, 0, 45_000, 60_000].map((ms) => viewOf(refusedFor(60_000), EN, NOW + ms).countdown?.share);
    expect(shares).toEqual([1, 1, 0.25, 0]);
  });

  it('of a call starts when the call went live, even if the page draws it later', () => {
    expect(viewOf(liveUntil(NOW + 3 * MINUTE), EN, NOW).countdown).toEqual({
      digits: '3:00',
      caption: 'left',
      share: 0.75,
    });
  });

  it('replaces a refusal when it ends, because the refusal’s sentence names a time that has passed', () => {
    expect(pageStateAt(refusedFor(1000), NOW + 999).situation.name).toBe('refused');
    expect(viewOf(pageStateAt(refusedFor(1000), NOW + 1000), EN, NOW)).toMatchObject({
      headline: 'You can call again',
      press: 'start',
    });
  });

  it('keeps the explanation of a failure, which may have been visible for only a second', () => {
    expect(viewOf(pageStateAt(busyFor(1000), NOW + 1000), EN, NOW)).toMatchObject({
      sentence: 'Busy.',
      press: 'start',
      countdown: undefined,
    });
  });

  it('does not end a call: the call ends itself', () => {
    const over = pageStateAt(liveUntil(NOW), NOW + 1);
    expect([over.situation.name, viewOf(over, EN, NOW + 1).countdown?.digits]).toEqual(['live', '0:00']);
  });
});

describe('a live call', () => {
  it('shows when its last minute begins', () => {
    const state = liveUntil(NOW + 2 * MINUTE);
    const sentences = [MINUTE - 1, MINUTE].map((ms) => viewOf(state, EN, NOW + ms).sentence);
    expect(sentences).toEqual(['Just speak. You can interrupt at any time.', 'Less than a minute is left.']);
  });

  const problem = (soundProblem: SoundProblem) => ({ ...liveUntil(NOW + 5 * MINUTE), soundProblem });

  it.each(['sound-blocked', 'sound-failed'] as const)(
    'shows the problem %s, but not after the call',
    (soundProblem) => {
      expect(viewOf(problem(soundProblem), EN, NOW)).toMatchObject(TEXTS.en.notice[soundProblem]);
      expect(stateWith({ name: 'ended', reason: 'hung-up' }, problem(soundProblem)).soundProblem).toBeUndefined();
    },
  );

  it('shows its notice, even in its last minute, but a problem of the sound first', () => {
    const muted = everyState('en').get('live-microphone-muted') ?? { name: 'idle' };
    const state = { ...stateWith(muted), period: { from: NOW, until: NOW + 1 } };
    expect(viewOf(state, EN, NOW)).toMatchObject(TEXTS.en.notice['microphone-muted']);
    const silent = stateWith(muted, problem('sound-blocked'));
    expect(viewOf(silent, EN, NOW)).toMatchObject(TEXTS.en.notice['sound-blocked']);
  });
});

describe('the texts', () => {
  it.each(['en', 'ja'] as const)('describe each reason and each notice in its own words: %s', (language) => {
    const { failed, ended, notice } = TEXTS[language];
    const sentences = [failed, ended, notice].flatMap((group) => Object.values(group).map(({ sentence }) => sentence));
    expect(new Set(sentences).size).toBe(sentences.length);
  });
});

describe('the calls that are left', () => {
  it.each([
    [9, EN, '9 calls left'],
    [1, EN, '1 call left'],
    [0, EN, 'No calls left for now'],
    [9, JA, '残り9回'],
    [0, JA, '今回で通話回数の上限に達しました'],
  ])('%d, after the call', (calls, speech, note) => {
    expect(viewOf(endedWith(calls), speech, NOW).note).toBe(note);
  });

  it.each([
    [1, EN, /^2 calls left until \d+:00 [AP]M$/],
    [1, JA, /^\d+:00まで：残り2回$/],
    [100, EN, /^2 calls left until Jan \d, \d+:00 [AP]M$/],
    [100, JA, /^1月\d日 \d+:00まで：残り2回$/],
  ])('until a time in %d h, with the day if it is 24 hours or more away', (hours, speech, note) => {
    const text = viewOf(endedWith(2, NOW + hours * HOUR), speech, NOW).note;
    expect(text.replaceAll('\u202f', ' ')).toMatch(note);
  });

  it('are not shown after their window has ended', () => {
    expect(viewOf(endedWith(2, NOW), EN, NOW).note).toBe('');
  });

  it('are not shown with a refusal', () => {
    const refused: ScriptedState = { name: 'refused', code: 'paused', sentence: undefined, retryAt: undefined };
    expect(viewOf(stateWith(refused, endedWith(2)), EN, NOW).note).toBe('');
  });
});

describe('the language', () => {
  it.each([
    [['ja-JP', 'en-US'], 'ja', 'ja-JP'],
    [['fr-FR', 'EN-GB', 'ja'], 'en', 'EN-GB'],
    [['jam', 'enm'], 'en', 'en'],
    [[], 'en', 'en'],
  ])('for a browser of %j is %s', (preferred, language, locale) => {
    expect(speechFor(preferred)).toEqual({ language, locale });
  });
});
