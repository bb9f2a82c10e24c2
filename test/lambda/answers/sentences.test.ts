import { describe, expect, it } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';
import { sentence } from '../../../lambda/answers/sentences.ts';

const CODES = Object.keys(PROBLEMS) as ProblemCode[];
const SECONDS = { second: 1, minute: 60, hour: 3_600, day: 86_400, 秒: 1, 分: 60, 時間: 3_600, 日: 86_400 };

describe('each problem has a sentence that can be shown unchanged', () => {
  it.each(CODES)('%s: in Japanese', (code) => {
    expect(sentence(code, 'ja', 60)).toMatch(/^[^{}]*[\p{scx=Hira}\p{scx=Kana}\p{scx=Han}][^{}]*。$/u);
  });

  it.each(CODES)('%s: in English', (code) => {
    expect(sentence(code, 'en', 60)).toMatch(/^[A-Z][ -z]*\.$/);
  });

  it.each(CODES)('%s: reveals nothing about the implementation', (code) => {
    for (const text of [sentence(code, 'ja', 60), sentence(code, 'en', 60)]) {
      expect(text).not.toMatch(/openai|aws|amazon|lambda|dynamo|cloudfront|ssm|limiter|undefined|null|NaN/i);
    }
  });

  it('no two sentences are the same', () => {
    for (const language of ['ja', 'en'] as const) {
      expect(new Set(CODES.map((code) => sentence(code, language, 60))).size).toBe(CODES.length);
    }
  });
});

describe('a wait in words', () => {
  it.each([
    [1, '1 second', '1秒'],
    [2, '2 seconds', '2秒'],
    [59, '59 seconds', '59秒'],
    [60, '1 minute', '1分'],
    [61, '61 seconds', '61秒'],
    [120, '2 minutes', '2分'],
    [121, '3 minutes', '3分'],
    [3_540, '59 minutes', '59分'],
    [3_600, '1 hour', '1時間'],
    [3_601, '61 minutes', '61分'],
    [7_200, '2 hours', '2時間'],
    [7_201, '3 hours', '3時間'],
    [82_800, '23 hours', '23時間'],
    [86_400, '1 day', '1日'],
    [86_401, '25 hours', '25時間'],
    [31 * 86_400, '31 days', '31日'],
  ])('%i s are %s, %s', (seconds, english, japanese) => {
    expect(sentence('rate_limited', 'en', seconds)).toContain(` in ${english}.`);
    expect(sentence('rate_limited', 'ja', seconds)).toContain(`。${japanese}後`);
    expect(sentence('budget_exhausted', 'en', seconds)).toContain(` in ${english}.`);
    expect(sentence('budget_exhausted', 'ja', seconds)).toContain(`。${japanese}後`);
  });

  it('is never shorter than the wait itself', () => {
    const waits = Array.from({ length: 3 * 86_400 }, (_, index) => index + 1);
    const tooShort = waits.filter(
      (seconds) =>
        !(secondsIn(sentence('rate_limited', 'en', seconds), /in (\d+) ([a-z]+?)s?\.$/) >= seconds) ||
        !(secondsIn(sentence('rate_limited', 'ja', seconds), /。(\d+)(秒|分|時間|日)後/) >= seconds),
    );
    expect(tooShort).toEqual([]);
  });
});

function secondsIn(text: string, pattern: RegExp): number {
  const [, count, unit] = pattern.exec(text) ?? [];
  return Number(count) * (SECONDS[unit as keyof typeof SECONDS] ?? Number.NaN);
}
