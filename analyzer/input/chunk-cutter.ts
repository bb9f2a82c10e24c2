/**
 * Cuts a source into chunks that parsers take: at line ends, or anywhere. What a chunk leaves over begins the next one. A
 * line that is too long is handed over cut off, so that its parser says so, and passed over.
 */
import { Buffer } from 'node:buffer';
import { detectFormat, type Format, guessFormat, HEAD_BYTES } from '../formats/detect-format.ts';
import { NEWLINE, SLACK } from '../parsing/bytes.ts';
import { CHUNK_BYTES, LONGEST_ELEMENT } from '../parsing/chunk-parser.ts';
import { parseFields } from '../parsing/read-result.ts';
import type { ByteSource } from './byte-source.ts';
import { InputError } from './input-error.ts';

export interface Chunk {
  readonly length: number;
  /** Of its first byte in the log. */
  readonly offset: number;
  /** Whether the log ends with it: one that breaks off has no end, and what broke it off is to be blamed. */
  readonly isLast: boolean;
}

export interface Cutter {
  readonly format: Format;
  /**
   * @param into CHUNK_ROOM bytes
   * @returns undefined after the last chunk
   */
  readonly next: (into: Uint8Array) => Promise<Chunk | undefined>;
}

/** Followed logs are cut as they come; others into chunks that grow to CHUNK_BYTES. */
export interface CutOptions {
  readonly isFollowed: boolean;
  /** For messages. */
  readonly name: string;
}

const FIRST_BYTES = 1 << 15;

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** @throws InputError for an empty log and for one of an unknown format */
export async function createCutter(source: ByteSource, { isFollowed, name }: CutOptions): Promise<Cutter> {
  const { head, format, isEnded } = await readHead(source, name);
  const hasMark = head.subarray(0, UTF8_MARK.length).equals(UTF8_MARK);
  /** Read, and not handed over yet. */
  let rest: Uint8Array = hasMark ? head.subarray(UTF8_MARK.length) : head;
  /** Of the first byte of `rest`. */
  let offset = hasMark ? UTF8_MARK.length : 0;
  /** What is to come of a followed log may be long in coming: its head is handed over before. */
  let least = isFollowed ? 0 : 1;
  let isPassing = false;
  let state: 'more' | 'ended' | 'done' = isEnded ? 'ended' : 'more';

  /** Little at first, so that whoever takes the chunks soon has one: code that has not run yet is slow, on both sides. */
  function bytesToRead(): number {
    return Math.min(CHUNK_BYTES, Math.max(FIRST_BYTES, offset >> 2));
  }

  /** @returns how many bytes are in `into`, those included that were there */
  async function fill(into: Uint8Array, from: number): Promise<number> {
    let length = from;
    const enough = isFollowed ? from + least : Math.min(from + bytesToRead(), LONGEST_ELEMENT + CHUNK_BYTES);
    while (length < enough && state === 'more') {
      const count = await source.read(into.subarray(length, isFollowed ? LONGEST_ELEMENT + CHUNK_BYTES : enough));
      state = count === 0 ? 'ended' : 'more';
      length += count;
    }
    least = 1;
    return length;
  }

  /** Drops what belongs to a line that is too long. */
  function passOver(bytes: Buffer, length: number): number {
    const newline = bytes.subarray(0, length).indexOf(NEWLINE);
    const passed = newline < 0 ? length : newline + 1;
    isPassing = newline < 0;
    offset += passed;
    bytes.copyWithin(0, passed, length);
    return length - passed;
  }

  /** @returns how many of the bytes the chunk gets; the others are `rest` */
  function cut(bytes: Buffer, length: number): number {
    if (format.kind === 'array' || (state === 'ended' && source.trouble() === undefined)) {
      return length;
    }
    const lines = bytes.subarray(0, length).lastIndexOf(NEWLINE) + 1;
    if (state === 'ended') {
      // Of half a line, what cut it is to be blamed.
      return detectFormat(bytes.subarray(lines, length)) === undefined ? lines : length;
    }
    if (length - lines <= LONGEST_ELEMENT) {
      rest = Uint8Array.prototype.slice.call(bytes, lines, length);
      return lines;
    }
    isPassing = true;
    return lines + LONGEST_ELEMENT + 1;
  }

  /** @returns undefined if more must be read before there is one */
  async function nextChunk(bytes: Buffer): Promise<Chunk | undefined> {
    bytes.set(rest);
    const filled = await fill(bytes, rest.length);
    rest = new Uint8Array(0);
    const length = isPassing ? passOver(bytes, filled) : filled;
    const isEnded = state === 'ended';
    const used = cut(bytes, length);
    if (used === 0 && !isEnded) {
      return undefined;
    }
    bytes.fill(0, length, length + SLACK);
    state = isEnded ? 'done' : state;
    const chunk = { length: used, offset, isLast: isEnded && source.trouble() === undefined };
    // The tail of a line that is too long is dropped.
    offset += isPassing ? length : used;
    return chunk;
  }

  return {
    format,
    async next(into) {
      const bytes = Buffer.from(into.buffer, into.byteOffset, into.byteLength);
      let chunk: Chunk | undefined;
      while (chunk === undefined && state !== 'done') {
        chunk = await nextChunk(bytes);
      }
      return chunk;
    },
  };
}

async function readHead(source: ByteSource, name: string): Promise<{ head: Buffer; format: Format; isEnded: boolean }> {
  const room = Buffer.alloc(HEAD_BYTES);
  let length = 0;
  let isEnded = false;
  for (;;) {
    const count = await source.read(room.subarray(length));
    length += count;
    isEnded = count === 0;
    const head = room.subarray(0, length);
    const isFull = length === room.length;
    const format = detectFormat(head) ?? (isFull ? guessFormat(head) : undefined);
    if (format !== undefined) {
      return { head, format, isEnded };
    }
    if (isEnded || isFull) {
      throw new InputError(complaintOf(head, name, source.trouble()));
    }
  }
}

function complaintOf(head: Buffer, name: string, trouble: string | undefined): string {
  if (trouble !== undefined) {
    return `${name}: ${trouble}`;
  }
  if (head.toString('utf8').trim() === '') {
    return `${name} is empty: there is nothing to analyse.`;
  }
  if (UTF16_MARKS.some((mark) => head.subarray(0, mark.length).equals(mark))) {
    return `${name} is UTF-16. Logs are read as UTF-8: iconv -f UTF-16 -t UTF-8 makes it so.`;
  }
  const text = head.toString('utf8').trimStart();
  const [line = ''] = text.split('\n');
  const isNoLine = line.startsWith('{') && !line.trimEnd().endsWith(',') && parseFields(line) === undefined;
  const advice = isNoLine ? '. Of objects that are no lines of their own, jq -c . makes NDJSON' : '';
  return (
    `${name} is no log of a known format: a JSON array or NDJSON of {timestamp, client_ip, event_type}, the issuer's log, ` +
    `CloudFront (JSON, W3C) or nginx (combined, JSON). It begins ${JSON.stringify(line.slice(0, 80))}${advice}`
  );
}
