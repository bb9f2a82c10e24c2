/** How a log is cut up, and what a parser of the chunks looks like. */
import { SLACK } from './bytes.ts';
import type { Columns, ParsedChunk } from './collector.ts';

/** So much is read at once: each chunk costs both threads a message, and one takes as long as to parse 100 KB. */
export const CHUNK_BYTES = 1 << 20;

/** A line or element that is longer is skipped and reported. Events have about a hundred bytes. */
export const LONGEST_ELEMENT = 1 << 18;

/** Before a chunk: for what its parser keeps of the one before, so that the two lie side by side. */
export const HEADROOM = LONGEST_ELEMENT;

/** For a chunk that begins with what was left of the one before. */
export const CHUNK_ROOM = LONGEST_ELEMENT + CHUNK_BYTES + SLACK;

export const TOO_LONG = `is longer than ${LONGEST_ELEMENT / 1024} KiB and was skipped`;

export interface ChunkParser {
  /**
   * @param bytes has the chunk behind {@link HEADROOM}, and {@link SLACK} zeros behind that; the same memory each time
   * @param offset of the chunk in the log
   * @param isLast whether the log ends with it
   * @param columns to be filled
   */
  readonly parse: (bytes: Uint8Array, length: number, offset: number, isLast: boolean, columns: Columns) => ParsedChunk;
}
