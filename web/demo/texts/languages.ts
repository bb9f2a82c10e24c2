/** The languages of the page, and the choice of one for the visitor. */
import { ENGLISH } from './english.ts';
import { JAPANESE } from './japanese.ts';
import type { Texts } from './texts.ts';

export type Language = 'en' | 'ja';

export const TEXTS: Readonly<Record<Language, Texts>> = { en: ENGLISH, ja: JAPANESE };

/** The language and format of the texts for this visitor. */
export interface Speech {
  readonly language: Language;
  /** Includes the region, which decides between 15:00 and 3:00 PM. */
  readonly locale: string;
}

/** @returns the first of the browser's languages that the page has, or English */
export function speechFor(preferred: readonly string[]): Speech {
  for (const locale of preferred) {
    const language = locale.toLowerCase().split('-')[0];
    if (language === 'en' || language === 'ja') {
      return { language, locale };
    }
  }
  return { language: 'en', locale: 'en' };
}
