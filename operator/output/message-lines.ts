/** The operator's message to visitors, as lines. A message that is the same in every language is shown once. */
import type { Message } from '../command-line/argument-parsers.ts';

/** `en: Back soon.` */
export function messageLines({ ja, en }: Message): string[] {
  if (ja !== undefined && ja === en) {
    return [`ja, en: ${ja}`];
  }
  return Object.entries({ ja, en }).flatMap(([language, text]) => (text === undefined ? [] : [`${language}: ${text}`]));
}
