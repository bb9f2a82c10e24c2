import { expect, it } from 'vitest';
import { preferredLanguage } from '../../../lambda/answers/language.ts';

it.each([
  ['', 'en', 'nothing is said'],
  ['ja', 'ja', 'one of ours'],
  ['en', 'en', 'one of ours'],
  ['JA', 'ja', 'case does not matter'],
  ['ja-JP', 'ja', 'a region'],
  ['ja-Jpan-JP', 'ja', 'a script and a region'],
  ['en-US,en;q=0.9,ja;q=0.8', 'en', 'what an English browser sends'],
  ['ja,en-US;q=0.9,en;q=0.8', 'ja', 'what a Japanese browser sends'],
  ['fr-FR,fr;q=0.9,ja;q=0.2', 'ja', 'ours behind a language that we do not speak'],
  ['fr', 'en', 'none of ours'],
  ['*', 'en', 'anything'],
  ['en;q=0.1,ja;q=0.2', 'ja', 'the weight decides, not the order'],
  ['en;q=0.001,ja;q=0.002', 'ja', 'three decimals count'],
  ['en;q=0.5,ja', 'ja', 'no weight is the weight 1'],
  ['ja,en', 'ja', 'the earlier on a tie'],
  ['en,ja', 'en', 'the earlier on a tie'],
  ['ja;q=1,en;q=1.0', 'ja', 'the earlier on a tie'],
  ['ja;q=0', 'en', 'refused'],
  ['ja;q=0.000,fr', 'en', 'refused'],
  ['ja;q=0,en;q=0', 'en', 'both are refused: one must be chosen'],
  [' ja ; q=0.9 , en ; q=0.8 ', 'ja', 'white space'],
  ['\tja\t;\tq=0.9,en;q=0.8', 'ja', 'tabs'],
  ['ja ;Q=0.9', 'ja', 'the name of the weight in capitals'],
  [',,ja,,', 'ja', 'empty members'],
  ['jam', 'en', 'a language that only begins like ours'],
  ['ja_JP', 'en', 'an underscore is no separator'],
  ['日本語', 'en', 'not a tag'],
  ['ja;q=2,en;q=0.1', 'en', 'a weight above 1 is none of the grammar'],
  ['ja;q=1.001', 'en', 'nor is one just above it'],
  ['ja;q=-1', 'en', 'nor a negative one'],
  ['ja;q=0.1234', 'en', 'nor a fourth decimal'],
  ['ja;q=', 'en', 'nor an empty one'],
  ['ja;q=NaN', 'en', 'nor a word'],
  ['ja;level=1', 'en', 'nor another parameter'],
  ['ja;q=.9', 'en', 'nor one without its zero'],
  ['ja;q=0.', 'en', 'a weight of zero may end in its point'],
  ['ja;q=1.', 'ja', 'and so may a weight of one'],
  ['__proto__,constructor;q=0.9', 'en', 'names that objects inherit'],
])('%j is read as %s: %s', (acceptLanguage, language) => {
  expect(preferredLanguage(acceptLanguage)).toBe(language);
});

it('reads a header of any length, and ours at its end', () => {
  expect(preferredLanguage(`${'fr-FR;q=0.9, '.repeat(10_000)}ja;q=0.1`)).toBe('ja');
  expect(preferredLanguage(`ja${'-a'.repeat(100_000)}!`)).toBe('en');
  expect(preferredLanguage(`ja${' '.repeat(100_000)}!`)).toBe('en');
});
