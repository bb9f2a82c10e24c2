/**
 * A JSON array of events, or several behind one another, or lines behind one, in chunks that may end anywhere. Exact where the
 * JSON is; where an element is broken, it is reported, and reading goes on at the next `,{`, or in lines at the next that begins
 * `{`. No element is held that is longer than {@link LONGEST_ELEMENT}.
 */
import { Buffer } from 'node:buffer';
import { CLOSE_BRACKET, COMMA, NEWLINE, OPEN_BRACE, OPEN_BRACKET, skipSpace, UNUSUAL } from './bytes.ts';
import { type ChunkParser, HEADROOM, LONGEST_ELEMENT, TOO_LONG } from './chunk-parser.ts';
import type { Collector } from './collector.ts';
import { NOT_JSON, readCoreElement } from './event-reader.ts';
import { createElementScanner } from './fast-event-scanner.ts';
import { BROKEN, createStructure } from './json-structure.ts';
import { rejected } from './read-result.ts';

const CUT_OFF = 'ends before the array does: the log is cut off';
const NO_COMMA = 'has no comma before it';
const BEHIND_END = 'stands behind the end of the array, and is passed over up to the next `,{`';
const BEHIND_ELEMENT = 'stands behind an element, and is passed over up to the next line that begins `{`';

/** What is to come. */
type State =
  | 'array'
  | 'first'
  | 'element'
  | 'comma'
  | 'rest of a long element'
  | 'sound element'
  | 'nothing'
  | 'ignored';

/** What may be to come where the log ends; a broken element has been complained of. */
const ENDS: readonly State[] = ['nothing', 'ignored', 'sound element'];

export function createArrayParser(collector: Collector): ChunkParser {
  const scanner = createElementScanner(true);
  const structure = createStructure();
  let bytes: Uint8Array = new Uint8Array(0);
  let view: DataView = new DataView(bytes.buffer);
  let text: Buffer = Buffer.alloc(0);
  /** Bytes of the chunk before that wait for more: they lie before the next one. */
  let held = 0;
  /** Where the chunk ends in its memory, and what is to be added to a place there for its offset in the log. */
  let length = 0;
  let base = 0;
  let isLast = false;
  let state: State = 'array';
  /** Whether elements stand in lines, behind an array. */
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
      case 'sound element':
        return findElement(at);
      case 'nothing':
        return readBehindEnd(at);
      case 'ignored':
        return length;
    }
  }

  function openArray(at: number): number {
    if (view.getUint8(at) !== OPEN_BRACKET) {
      complain('is no array', at);
      state = 'ignored';
      return length;
    }
    state = 'first';
    return at + 1;
  }

  /** Logs that were put together are arrays behind one another, or NDJSON behind an array. */
  function readBehindEnd(at: number): number {
    const byte = view.getUint8(at);
    isInLines = byte === OPEN_BRACE;
    if (isInLines) {
      state = 'first';
      return at;
    }
    if (byte === OPEN_BRACKET) {
      return openArray(at);
    }
    complain(BEHIND_END, at);
    // It may have been the end of something inside a broken element.
    state = 'sound element';
    return at;
  }

  function readElement(at: number): number {
    const byte = view.getUint8(at);
    if (byte === CLOSE_BRACKET) {
      if (state === 'element') {
        complain('follows a comma, and an element should', at);
      }
      state = 'nothing';
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
      return holdOn(at);
    }
    const result = readCoreElement(text.toString('utf8', at, end));
    if (result.kind === 'rejected' && result.complaint === NOT_JSON && !isFollowed(end)) {
      return reject(at);
    }
    collector.add(result, base + at, excerptAt(at, end));
    state = 'comma';
    return end;
  }

  /** The chunk ends, and the element goes on. */
  function holdOn(at: number): number {
    if (isLast) {
      complain(CUT_OFF, at);
      state = 'ignored';
    } else {
      held = length - at;
    }
    return length;
  }

  /** Whether an end that brackets tell is the element's end to JSON as well. */
  function isFollowed(end: number): boolean {
    const byte = view.getUint8(skipSpace(view, end, true));
    return byte === COMMA || byte === CLOSE_BRACKET;
  }

  function reject(at: number): number {
    complain(NOT_JSON, at);
    state = 'sound element';
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
      state = 'nothing';
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
      return readBehindEnd(at);
    }
    complain(BEHIND_ELEMENT, at);
    state = 'sound element';
    return at;
  }

  function skipElement(at: number): number {
    const end = structure.follow(view, at, length);
    if (end === BROKEN) {
      state = 'sound element';
      return at;
    }
    state = structure.isComplete() ? 'comma' : state;
    return end;
  }

  /** After a broken element, the first `,{`, or line that begins `{`. If none comes, the rest is part of what was complained of. */
  function findElement(from: number): number {
    for (let at = nextSeparator(from); at < length; at = nextSeparator(at + 1)) {
      const next = skipSpace(view, at + 1, true);
      if (next >= length) {
        // Here the chunk ends. So much white space is no sound log's.
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
