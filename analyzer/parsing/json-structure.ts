/**
 * Where a value of JSON ends, told by brackets and strings alone. It can go on in the next chunk of a log, so that a value of
 * any length and depth is passed over without being held. It gives up at a byte that no JSON has at that place: a lost quote
 * or brace should cost one element, and not seem to open one that reaches to the log's end.
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './bytes.ts';

export interface Structure {
  readonly restart: () => void;
  /**
   * @param to where the chunk ends
   * @returns where the value ends; or `to` if it goes on; or {@link BROKEN}
   */
  readonly follow: (view: DataView, from: number, to: number) => number;
  readonly isComplete: () => boolean;
}

export const BROKEN = -1;

/** Of deeper levels it is not known whether they are arrays. */
const KNOWN_LEVELS = 32;

/** Numbers, and the letters of true, false and null. */
const PLAIN = new Set([...'0123456789+-.eEtrufalsn'].map((character) => character.charCodeAt(0)));
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => Number(PLAIN.has(byte)));

export function createStructure(): Structure {
  let depth = 0;
  /** A bit for each level, set for arrays. */
  let arrays = 0;
  let isInString = false;
  let isEscaped = false;
  let isComplete = false;
  /** The last byte that was neither white space nor inside a string. */
  let last = 0;

  /** @returns false for a byte that no string has */
  function inString(byte: number): boolean {
    if (isEscaped) {
      isEscaped = false;
    } else if (byte === BACKSLASH) {
      isEscaped = true;
    } else if (byte === QUOTE) {
      isInString = false;
      isComplete = depth === 0;
    }
    return byte >= SPACE;
  }

  /** @returns false for a byte that does not stand there */
  function outside(byte: number): boolean {
    if (byte <= SPACE) {
      return byte !== 0;
    }
    const isSound = isSoundAfter(byte);
    if (byte === QUOTE) {
      isInString = true;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      open(byte);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      isComplete = depth === 0;
    }
    last = byte;
    return isSound && depth >= 0;
  }

  function open(byte: number): void {
    if (depth < KNOWN_LEVELS) {
      const level = 1 << depth;
      arrays = byte === OPEN_BRACKET ? arrays | level : arrays & ~level;
    }
    depth += 1;
  }

  function isSoundAfter(byte: number): boolean {
    switch (byte) {
      case QUOTE:
        return mayBegin() || last === OPEN_BRACE || last === COMMA;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        // In an object, a comma is followed by a key.
        return mayBegin() || (last === COMMA && isInArray(true));
      case CLOSE_BRACE:
        return isInArray(false);
      case CLOSE_BRACKET:
        return isInArray(true);
      case COMMA:
      case COLON:
        return !(mayBegin() || last === COMMA);
      default:
        return IS_PLAIN[byte] === 1;
    }
  }

  function mayBegin(): boolean {
    return last === COLON || last === OPEN_BRACKET || last === 0;
  }

  function isInArray(expected: boolean): boolean {
    return depth > KNOWN_LEVELS || ((arrays >> (depth - 1)) & 1) === Number(expected);
  }

  /** A number or a word ends where its array goes on. */
  function endsBefore(byte: number): boolean {
    return depth === 0 && !isInString && (byte === COMMA || byte === CLOSE_BRACKET);
  }

  return {
    restart() {
      depth = 0;
      arrays = 0;
      last = 0;
      isInString = false;
      isEscaped = false;
      isComplete = false;
    },
    follow(view, from, to) {
      for (let at = from; at < to; at += 1) {
        const byte = view.getUint8(at);
        if (endsBefore(byte)) {
          isComplete = true;
          return at;
        }
        if (!(isInString ? inString(byte) : outside(byte))) {
          return BROKEN;
        }
        if (isComplete) {
          return at + 1;
        }
      }
      return to;
    },
    isComplete: () => isComplete,
  };
}
