/** Names for bytes, and short texts as the words in which a DataView reads them: four bytes are compared at once. */

const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Beyond the last byte of a log, so many zeros must follow: a word may be read at any of its bytes, a dozen on. */
export const SLACK = 64;

/** Instead of a position: what was found is left to the reader that is exact and slow. */
export const UNUSUAL = -1;

/** Up to four ASCII characters, little endian. */
export function word(text: string): number {
  return [...text].reduceRight((value, character) => (value << 8) | character.charCodeAt(0), 0);
}

export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

/** JSON's white space. A newline is one only inside an array: elsewhere it ends the element. */
export function skipSpace(view: DataView, from: number, overLines: boolean): number {
  let at = from;
  for (;;) {
    const byte = view.getUint8(at);
    if (byte > SPACE || !(byte === SPACE || byte === TAB || byte === RETURN || (overLines && byte === NEWLINE))) {
      return at;
    }
    at += 1;
  }
}
