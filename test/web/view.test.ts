import { describe, expect, it } from 'vitest';
import { type State, stateAfterAnswer, stateAt } from '../../web/demo/state.ts';
import { speechFor } from '../../web/demo/texts.ts';
import { viewOf } from '../../web/demo/view.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;
const EN = { language: 'en', locale: 'en-US' } as const;
const JA = { language: 'ja', locale: 'ja' } as const;

const refusedFor = (ms: number): State => ({
  name: 'refused',
  sentence: 'No.',
  period: { from: NOW, until: NOW + ms },
});
const expiredWith = (calls: number, until?: number): State => ({ name: 'expired', allowance: { calls, until } });

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

  it('has a ring that runs from full to empty, and no further when the clock is set back', () => {
    const shares = [-HOUR, 0, 45_000, 60_000].map((ms) => viewOf(refusedFor(60_000), EN, NOW + ms).countdown?.share);
    expect(shares).toEqual([1, 1, 0.25, 0]);
  });
});

describe('a key', () => {
  it('has expired on arrival where it came too late', () => {
    const key = { kind: 'key', value: 'ek_late', expiresAt: NOW - 1, model: 'm', remaining: 0, resetAt: NOW } as const;
    expect(stateAt(stateAfterAnswer(key, NOW), NOW)).toEqual({ name: 'expired', allowance: { calls: 0, until: NOW } });
  });

  it('leaves its value behind', () => {
    const key = {
      kind: 'key',
      value: 'ek_secret',
      expiresAt: NOW + 1,
      model: 'm',
      remaining: 1,
      resetAt: NOW,
    } as const;
    expect(JSON.stringify(stateAfterAnswer(key, NOW))).not.toContain('ek_secret');
  });
});

describe('the calls that are left', () => {
  it.each([
    [expiredWith(9), EN, '9 more calls'],
    [expiredWith(1), EN, '1 more call'],
    [expiredWith(0), EN, 'This was your last call for now'],
    [expiredWith(9), JA, 'あと 9 回'],
    [expiredWith(0), JA, '今回の分で、いったん上限です'],
  ])('%j', (state, speech, note) => {
    expect(viewOf(state, speech, NOW).note).toBe(note);
  });

  it.each([
    [1, EN, /^2 more calls until \d+:00 [AP]M$/],
    [1, JA, /^\d+:00 まで、あと 2 回$/],
    [100, EN, /^2 more calls until Jan \d, \d+:00 [AP]M$/],
    [100, JA, /^1月\d日 \d+:00 まで、あと 2 回$/],
  ])('until a time in %d h, with the day where it may be another', (hours, speech, note) => {
    const text = viewOf(expiredWith(2, NOW + hours * HOUR), speech, NOW).note;
    expect(text.replaceAll('\u202f', ' ')).toMatch(note);
  });

  it('are not told for a window that is over', () => {
    expect(viewOf(expiredWith(2, NOW), EN, NOW).note).toBe('');
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
