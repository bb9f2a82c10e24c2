/** Chooses the language of messages by Accept-Language (RFC 9110, section 12.5.4). */

export const LANGUAGES = ['ja', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const DEFAULT_LANGUAGE: Language = 'en';
const RANGE = /^(?<tag>[a-z]{1,8})(-[a-z0-9]{1,8})*(\s*;\s*q=(?<weight>0(\.\d{0,3})?|1(\.0{0,3})?))?$/i;

/** The supported language with the highest weight; on a tie, the first. English if there is none. */
export function preferredLanguage(acceptLanguage: string): Language {
  let preferred: Language = DEFAULT_LANGUAGE;
  let highest = 0;
  for (const range of acceptLanguage.split(',')) {
    const { tag, weight = '1' } = RANGE.exec(range.trim())?.groups ?? {};
    const language = LANGUAGES.find((supported) => supported === tag?.toLowerCase());
    if (language !== undefined && Number(weight) > highest) {
      preferred = language;
      highest = Number(weight);
    }
  }
  return preferred;
}
