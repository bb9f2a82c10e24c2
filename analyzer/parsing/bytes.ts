/** Names for bytes, and short texts as 32-bit words, so that a DataView compares four bytes at once. */

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

/** Number of zeros that must follow the last byte of a log, because words up to a dozen bytes past any byte may be read. */
export const SLACK = 64;

/** Returned instead of a position: the exact but slow reader must read this element. */
export const UNUSUAL = -1;

/** Up to four ASCII characters as a little-endian word. */
export function word(text: string): number {
  return [...text].reduceRight((value, character) => (value << 8) | character.charCodeAt(0), 0);
}

export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

/** Skips JSON white space. A newline is white space only inside an array; elsewhere it ends the element. */
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
