/** The sizes of chunks, and the interface of a parser that reads them. */
import { SLACK } from './bytes.ts';
import type { Columns, ParsedChunk } from './collector.ts';

/** Bytes read at once. Each chunk costs both threads a message, which takes as long as parsing 100 KB. */
export const CHUNK_BYTES = 1 << 20;

/** A longer line or element is skipped and reported. An event has about a hundred bytes. */
export const LONGEST_ELEMENT = 1 << 18;

/** Room before a chunk for the bytes that the parser keeps from the previous chunk, so that they are contiguous. */
export const HEADROOM = LONGEST_ELEMENT;

/** Room for a chunk that starts with bytes left over from the previous chunk. */
export const CHUNK_ROOM = LONGEST_ELEMENT + CHUNK_BYTES + SLACK;

export const TOO_LONG = `is longer than ${LONGEST_ELEMENT / 1024} KiB and was skipped`;

export interface ChunkParser {
  /**
   * @param bytes {@link HEADROOM}, then the chunk, then {@link SLACK} zeros; the same buffer in each call
   * @param offset position of the chunk in the log
   * @param isLast whether the log ends with this chunk
   * @param columns the columns to fill
   */
  readonly parse: (bytes: Uint8Array, length: number, offset: number, isLast: boolean, columns: Columns) => ParsedChunk;
}
