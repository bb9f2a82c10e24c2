/**
 * Parses a JSON array of events, several concatenated arrays, or NDJSON after an array, in chunks that may end anywhere. Valid
 * JSON is read exactly. A broken element is reported, and parsing resumes at the next `,{`, or in NDJSON at the next line that
 * starts with `{`. An element longer than {@link LONGEST_ELEMENT} is not kept in memory.
 */
import { Buffer } from 'node:buffer';
import { CLOSE_BRACKET, COMMA, NEWLINE, OPEN_BRACE, OPEN_BRACKET, skipSpace, UNUSUAL } from './bytes.ts';
import { type ChunkParser, HEADROOM, LONGEST_ELEMENT, TOO_LONG } from './chunk-parser.ts';
import type { Collector } from './collector.ts';
import { NOT_JSON, readCoreElement } from './event-reader.ts';
import { createElementScanner } from './fast-event-scanner.ts';
import { BROKEN, createStructure } from './json-structure.ts';
import { rejected } from './read-result.ts';

const CUT_OFF = 'ends before the array is closed: the log is truncated';
const NO_COMMA = 'has no comma before it';
const AFTER_END = 'follows the end of the array, and was skipped up to the next `,{`';
const AFTER_ELEMENT = 'follows an element, and was skipped up to the next line that starts with `{`';

/** What the parser expects next. */
type State =
  | 'array'
  | 'first'
  | 'element'
  | 'comma'
  | 'rest of a long element'
  | 'valid element'
  | 'end or array'
  | 'ignored';

/** States in which the log may end. In 'valid element', the broken element has already been reported. */
const ENDS: readonly State[] = ['end or array', 'ignored', 'valid element'];

export function createArrayParser(collector: Collector): ChunkParser {
  const scanner = createElementScanner(true);
  const structure = createStructure();
  let bytes: Uint8Array = new Uint8Array(0);
  let view: DataView = new DataView(bytes.buffer);
  let text: Buffer = Buffer.alloc(0);
  /** Number of bytes kept from the previous chunk, because their element goes on. They lie directly before the next chunk. */
  let held = 0;
  /** Where the chunk ends in the buffer. */
  let length = 0;
  /** Added to a position in the buffer, it gives the offset in the log. */
  let base = 0;
  let isLast = false;
  let state: State = 'array';
  /** Whether the elements are NDJSON lines after an array. */
  let isInLines = false;

  function step(at: number): number {
    switch (state) {
      case 'array':
        return openArray(at);
      case 'first':
      case 'element':
        return readElement(at);
      case 'comma':
        return readComma(at);
      case 'rest of a long element':
        return skipElement(at);
      case 'valid element':
        return findElement(at);
      case 'end or array':
        return readAfterEnd(at);
      case 'ignored':
        return length;
    }
  }

  function openArray(at: number): number {
    if (view.getUint8(at) !== OPEN_BRACKET) {
      complain('is not an array', at);
      state = 'ignored';
      return length;
    }
    state = 'first';
    return at + 1;
  }

  /** Concatenated logs are several arrays, or NDJSON after an array. */
  function readAfterEnd(at: number): number {
    const byte = view.getUint8(at);
    isInLines = byte === OPEN_BRACE;
    if (isInLines) {
      state = 'first';
      return at;
    }
    if (byte === OPEN_BRACKET) {
      return openArray(at);
    }
    complain(AFTER_END, at);
    // The supposed end of the array may have been inside a broken element.
    state = 'valid element';
    return at;
  }

  function readElement(at: number): number {
    const byte = view.getUint8(at);
    if (byte === CLOSE_BRACKET) {
      if (state === 'element') {
        complain('follows a comma, but an element was expected', at);
      }
      state = 'end or array';
      return at + 1;
    }
    const end = byte === OPEN_BRACE ? scanner.scan(view, at) : UNUSUAL;
    if (end === UNUSUAL || end > length || end - at > LONGEST_ELEMENT) {
      return readSlowly(at);
    }
    collector.addScanned(bytes, scanner.scanned);
    state = 'comma';
    return end;
  }

  function readSlowly(at: number): number {
    structure.restart();
    const end = structure.follow(view, at, length);
    if (end === BROKEN) {
      return reject(at);
    }
    if (end - at > LONGEST_ELEMENT) {
      complain(TOO_LONG, at);
      state = structure.isComplete() ? 'comma' : 'rest of a long element';
      return end;
    }
    if (!structure.isComplete()) {
      return holdElement(at);
    }
    const result = readCoreElement(text.toString('utf8', at, end));
    if (result.kind === 'rejected' && result.complaint === NOT_JSON && !isFollowed(end)) {
      return reject(at);
    }
    collector.add(result, base + at, excerptAt(at, end));
    state = 'comma';
    return end;
  }

  /** Keeps the bytes of an element that goes on after the chunk. */
  function holdElement(at: number): number {
    if (isLast) {
      complain(CUT_OFF, at);
      state = 'ignored';
    } else {
      held = length - at;
    }
    return length;
  }

  /** Checks whether the end that the brackets indicate is a valid end of an element. */
  function isFollowed(end: number): boolean {
    const byte = view.getUint8(skipSpace(view, end, true));
    return byte === COMMA || byte === CLOSE_BRACKET;
  }

  function reject(at: number): number {
    complain(NOT_JSON, at);
    state = 'valid element';
    return at + 1;
  }

  function readComma(at: number): number {
    const byte = view.getUint8(at);
    if (isInLines && byte !== COMMA && byte !== CLOSE_BRACKET) {
      return readNextLine(byte, at);
    }
    isInLines = false;
    if (byte === COMMA) {
      state = 'element';
      return at + 1;
    }
    if (byte === CLOSE_BRACKET) {
      state = 'end or array';
      return at + 1;
    }
    if (byte !== OPEN_BRACE) {
      return reject(at);
    }
    complain(NO_COMMA, at);
    state = 'first';
    return at;
  }

  function readNextLine(byte: number, at: number): number {
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      return readAfterEnd(at);
    }
    complain(AFTER_ELEMENT, at);
    state = 'valid element';
    return at;
  }

  function skipElement(at: number): number {
    const end = structure.follow(view, at, length);
    if (end === BROKEN) {
      state = 'valid element';
      return at;
    }
    state = structure.isComplete() ? 'comma' : state;
    return end;
  }

  /**
   * After a broken element, finds the next `,{`, or line that starts with `{`. If there is none, the rest belongs to
   * the reported problem.
   */
  function findElement(from: number): number {
    for (let at = nextSeparator(from); at < length; at = nextSeparator(at + 1)) {
      const next = skipSpace(view, at + 1, true);
      if (next >= length) {
        // The chunk ends here. A valid log does not contain this much white space.
        held = isLast || length - at > LONGEST_ELEMENT ? 0 : length - at;
        return length;
      }
      if (view.getUint8(next) === OPEN_BRACE) {
        state = 'element';
        return next;
      }
    }
    return length;
  }

  function nextSeparator(from: number): number {
    const at = text.indexOf(isInLines ? NEWLINE : COMMA, from);
    return at < 0 ? length : at;
  }

  function isEnd(): boolean {
    return ENDS.includes(state) || (isInLines && state === 'comma');
  }

  function complain(complaint: string, at: number): void {
    collector.add(rejected(complaint), base + at, excerptAt(at, length));
  }

  function excerptAt(from: number, end: number) {
    return (longest: number) => text.toString('utf8', from, Math.min(end, from + longest));
  }

  return {
    parse(given, chunkLength, offset, last, columns) {
      if (given !== bytes) {
        bytes = given;
        view = new DataView(given.buffer, given.byteOffset, given.byteLength);
        text = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      }
      const from = HEADROOM - held;
      length = HEADROOM + chunkLength;
      base = offset - HEADROOM;
      isLast = last;
      held = 0;
      collector.begin(columns);
      let at = skipSpace(view, from, true);
      while (at < length) {
        at = skipSpace(view, step(at), true);
      }
      const kept = held;
      if (isLast && !isEnd()) {
        complain(CUT_OFF, length);
      }
      bytes.copyWithin(HEADROOM - kept, length - kept, length);
      return collector.take();
    },
  };
}
