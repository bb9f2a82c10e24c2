/**
 * Cuts a source into chunks for a parser: at line ends, or at any byte for an array. Bytes left over from a chunk start the
 * next one. If a line is too long, the parser gets its beginning, so that it reports the line, and the rest is skipped.
 */
import { Buffer } from 'node:buffer';
import { detectFormat, FORMAT_NAMES, type Format, guessFormat, HEAD_BYTES } from '../formats/detect-format.ts';
import { NEWLINE, SLACK } from '../parsing/bytes.ts';
import { CHUNK_BYTES, LONGEST_ELEMENT } from '../parsing/chunk-parser.ts';
import { parseFields } from '../parsing/read-result.ts';
import type { ByteSource } from './byte-source.ts';
import { InputError } from './input-error.ts';

export interface Chunk {
  readonly length: number;
  /** Position of the chunk's first byte in the log. */
  readonly offset: number;
  /** Whether the log ends with this chunk. False after a read error, so that only that error is reported, not a cut-off log. */
  readonly isLast: boolean;
}

export interface Cutter {
  readonly format: Format;
  /**
   * @param into a buffer of CHUNK_ROOM bytes
   * @returns undefined after the last chunk
   */
  readonly next: (into: Uint8Array) => Promise<Chunk | undefined>;
}

/** A followed log is cut wherever its data currently ends; any other log is cut into chunks that grow to CHUNK_BYTES. */
export interface CutOptions {
  readonly isFollowed: boolean;
  /** The log's name in error messages. */
  readonly name: string;
}

const FIRST_BYTES = 1 << 15;

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** @throws InputError for an empty log and for one of an unknown format */
export async function createCutter(source: ByteSource, { isFollowed, name }: CutOptions): Promise<Cutter> {
  const { head, format, isEnded } = await readHead(source, name);
  const hasMark = head.subarray(0, UTF8_MARK.length).equals(UTF8_MARK);
  /** Bytes that were read but are not part of a chunk yet. */
  let rest: Uint8Array = hasMark ? head.subarray(UTF8_MARK.length) : head;
  /** Position of the first byte of `rest` in the log. */
  let offset = hasMark ? UTF8_MARK.length : 0;
  /** The next bytes of a followed log may arrive much later, so its head becomes a chunk without waiting for them. */
  let least = isFollowed ? 0 : 1;
  let isSkipping = false;
  let state: 'more' | 'ended' | 'done' = isEnded ? 'ended' : 'more';

  /** The first chunks are small, so that counting starts early: code runs slowly on both sides until it is compiled. */
  function bytesToRead(): number {
    return Math.min(CHUNK_BYTES, Math.max(FIRST_BYTES, offset >> 2));
  }

  /** @returns number of bytes in `into`, including the first `from` bytes */
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

  /** Drops the rest of a line that is too long. */
  function skipLine(bytes: Buffer, length: number): number {
    const newline = bytes.subarray(0, length).indexOf(NEWLINE);
    const skipped = newline < 0 ? length : newline + 1;
    isSkipping = newline < 0;
    offset += skipped;
    bytes.copyWithin(0, skipped, length);
    return length - skipped;
  }

  /** @returns number of bytes that the chunk gets; the remaining ones become `rest` */
  function cut(bytes: Buffer, length: number): number {
    if (format.kind === 'array' || (state === 'ended' && source.readError() === undefined)) {
      return length;
    }
    const lines = bytes.subarray(0, length).lastIndexOf(NEWLINE) + 1;
    if (state === 'ended') {
      // A line that a read error cut off is not passed on, so that only the read error is reported.
      return detectFormat(bytes.subarray(lines, length)) === undefined ? lines : length;
    }
    if (length - lines <= LONGEST_ELEMENT) {
      rest = Uint8Array.prototype.slice.call(bytes, lines, length);
      return lines;
    }
    isSkipping = true;
    return lines + LONGEST_ELEMENT + 1;
  }

  /** @returns undefined if more bytes are needed for a chunk */
  async function nextChunk(bytes: Buffer): Promise<Chunk | undefined> {
    bytes.set(rest);
    const filled = await fill(bytes, rest.length);
    rest = new Uint8Array(0);
    const length = isSkipping ? skipLine(bytes, filled) : filled;
    const isEnded = state === 'ended';
    const used = cut(bytes, length);
    if (used === 0 && !isEnded) {
      return undefined;
    }
    bytes.fill(0, length, length + SLACK);
    state = isEnded ? 'done' : state;
    const chunk = { length: used, offset, isLast: isEnded && source.readError() === undefined };
    // The rest of a line that is too long is dropped.
    offset += isSkipping ? length : used;
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
      throw new InputError(complaintOf(head, name, source.readError()));
    }
  }
}

function complaintOf(head: Buffer, name: string, readError: string | undefined): string {
  if (readError !== undefined) {
    return `${name}: ${readError}`;
  }
  if (head.toString('utf8').trim() === '') {
    return `${name} is empty: there is nothing to analyse.`;
  }
  if (UTF16_MARKS.some((mark) => head.subarray(0, mark.length).equals(mark))) {
    return `${name} is encoded in UTF-16, but a log must be UTF-8. Convert it with: iconv -f UTF-16 -t UTF-8`;
  }
  const text = head.toString('utf8').trimStart();
  const [line = ''] = text.split('\n');
  const isPartOfObject = line.startsWith('{') && !line.trimEnd().endsWith(',') && parseFields(line) === undefined;
  const advice = isPartOfObject ? '. If it holds JSON objects that are not one per line, convert it with: jq -c .' : '';
  return (
    `${name} is not in a supported log format. Expected one of: ${Object.values(FORMAT_NAMES).join('; ')}. ` +
    `It begins with ${JSON.stringify(line.slice(0, 80))}${advice}`
  );
}
