/** Splits a text that is still growing into its complete sentences and the unfinished one. */
import type { Language } from '../texts/languages.ts';

export interface Sentences {
  readonly complete: readonly string[];
  readonly unfinished: string;
}

/** The last sentence is complete only if the text is: "It is 3." may become "It is 3.5 degrees." */
export function sentencesOf(text: string, finished: boolean, language: Language): Sentences {
  const segments = new Intl.Segmenter(language, { granularity: 'sentence' }).segment(text);
  const complete = Array.from(segments, ({ segment }) => segment);
  return { unfinished: finished ? '' : (complete.pop() ?? ''), complete };
}
