/** Cuts a text that is still being written into the sentences that stand and the one that may go on. */
import type { Language } from '../texts/languages.ts';

export interface Sentences {
  readonly whole: readonly string[];
  readonly begun: string;
}

/** The last sentence is whole only when the text is: "It is 3." may become "It is 3.5 degrees." */
export function sentencesOf(text: string, finished: boolean, language: Language): Sentences {
  const segments = new Intl.Segmenter(language, { granularity: 'sentence' }).segment(text);
  const whole = Array.from(segments, ({ segment }) => segment);
  return { begun: finished ? '' : (whole.pop() ?? ''), whole };
}
