/**
 * Finds the end of a JSON value by its brackets and strings alone. The scan can continue in the next chunk of a log, so a
 * value of any length and depth is skipped without keeping it in memory. It stops at a byte that is invalid at its position:
 * a missing quote or brace must cost only one element, and not seem to start one that reaches to the end of the log.
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
   * @param to end of the chunk
   * @returns position after the value; `to` if the value continues after the chunk; or {@link BROKEN}
   */
  readonly follow: (view: DataView, from: number, to: number) => number;
  readonly isComplete: () => boolean;
}

export const BROKEN = -1;

/** Number of nesting levels for which the parser knows whether they are arrays. */
const KNOWN_LEVELS = 32;

/** The characters of numbers, and of true, false and null. */
const PLAIN = new Set([...'0123456789+-.eEtrufalsn'].map((character) => character.charCodeAt(0)));
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => Number(PLAIN.has(byte)));

export function createStructure(): Structure {
  let depth = 0;
  /** One bit for each level, set if the level is an array. */
  let arrays = 0;
  let isInString = false;
  let isEscaped = false;
  let isComplete = false;
  /** The last byte that was neither white space nor part of a string's content. */
  let last = 0;

  /** @returns false if the byte is invalid in a string */
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

  /** @returns false if the byte is invalid at this position */
  function outside(byte: number): boolean {
    if (byte <= SPACE) {
      return byte !== 0;
    }
    const isValid = isValidNext(byte);
    if (byte === QUOTE) {
      isInString = true;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      open(byte);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      isComplete = depth === 0;
    }
    last = byte;
    return isValid && depth >= 0;
  }

  function open(byte: number): void {
    if (depth < KNOWN_LEVELS) {
      const level = 1 << depth;
      arrays = byte === OPEN_BRACKET ? arrays | level : arrays & ~level;
    }
    depth += 1;
  }

  function isValidNext(byte: number): boolean {
    switch (byte) {
      case QUOTE:
        return mayStart() || last === OPEN_BRACE || last === COMMA;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        // In an object, a key follows a comma.
        return mayStart() || (last === COMMA && isInArray(true));
      case CLOSE_BRACE:
        return isInArray(false);
      case CLOSE_BRACKET:
        return isInArray(true);
      case COMMA:
      case COLON:
        return !(mayStart() || last === COMMA);
      default:
        return IS_PLAIN[byte] === 1;
    }
  }

  /** Whether any value may start here. */
  function mayStart(): boolean {
    return last === COLON || last === OPEN_BRACKET || last === 0;
  }

  function isInArray(expected: boolean): boolean {
    return depth > KNOWN_LEVELS || ((arrays >> (depth - 1)) & 1) === Number(expected);
  }

  /** A value that is a number or a word ends before the comma or bracket that follows it. */
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
