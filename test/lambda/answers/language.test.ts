import { expect, it } from 'vitest';
import { preferredLanguage } from '../../../lambda/answers/language.ts';

it.each([
  ['', 'en', 'an empty header'],
  ['ja', 'ja', 'a supported language'],
  ['en', 'en', 'a supported language'],
  ['JA', 'ja', 'case does not matter'],
  ['ja-JP', 'ja', 'a region'],
  ['ja-Jpan-JP', 'ja', 'a script and a region'],
  ['en-US,en;q=0.9,ja;q=0.8', 'en', 'what an English browser sends'],
  ['ja,en-US;q=0.9,en;q=0.8', 'ja', 'what a Japanese browser sends'],
  ['fr-FR,fr;q=0.9,ja;q=0.2', 'ja', 'a supported language after an unsupported one'],
  ['fr', 'en', 'no supported language'],
  ['*', 'en', 'any language'],
  ['en;q=0.1,ja;q=0.2', 'ja', 'the weight decides, not the order'],
  ['en;q=0.001,ja;q=0.002', 'ja', 'three decimals count'],
  ['en;q=0.5,ja', 'ja', 'a missing weight means 1'],
  ['ja,en', 'ja', 'the first on a tie'],
  ['en,ja', 'en', 'the first on a tie'],
  ['ja;q=1,en;q=1.0', 'ja', 'the first on a tie'],
  ['ja;q=0', 'en', 'not acceptable'],
  ['ja;q=0.000,fr', 'en', 'not acceptable'],
  ['ja;q=0,en;q=0', 'en', 'none is acceptable: the default'],
  [' ja ; q=0.9 , en ; q=0.8 ', 'ja', 'white space'],
  ['\tja\t;\tq=0.9,en;q=0.8', 'ja', 'tabs'],
  ['ja ;Q=0.9', 'ja', 'an upper-case Q'],
  [',,ja,,', 'ja', 'empty members'],
  ['jam', 'en', 'a language with the same first letters'],
  ['ja_JP', 'en', 'an underscore is not a separator'],
  ['日本語', 'en', 'not a tag'],
  ['ja;q=2,en;q=0.1', 'en', 'a weight above 1 is invalid'],
  ['ja;q=1.001', 'en', 'a weight just above 1 is invalid'],
  ['ja;q=-1', 'en', 'a negative weight is invalid'],
  ['ja;q=0.1234', 'en', 'a fourth decimal is invalid'],
  ['ja;q=', 'en', 'an empty weight is invalid'],
  ['ja;q=NaN', 'en', 'a weight in letters is invalid'],
  ['ja;level=1', 'en', 'another parameter is invalid'],
  ['ja;q=.9', 'en', 'a weight without its leading zero is invalid'],
  ['ja;q=0.', 'en', 'a weight of zero may end in a point'],
  ['ja;q=1.', 'ja', 'a weight of one may end in a point'],
  ['__proto__,constructor;q=0.9', 'en', 'names of inherited object members'],
])('%j gives %s: %s', (acceptLanguage, language) => {
  expect(preferredLanguage(acceptLanguage)).toBe(language);
});

it('parses a header of any length, including a language at its end', () => {
  expect(preferredLanguage(`${'fr-FR;q=0.9, '.repeat(10_000)}ja;q=0.1`)).toBe('ja');
  expect(preferredLanguage(`ja${'-a'.repeat(100_000)}!`)).toBe('en');
  expect(preferredLanguage(`ja${' '.repeat(100_000)}!`)).toBe('en');
});
