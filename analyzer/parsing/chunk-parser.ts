/** How a log is cut up, and what a parser of the pieces looks like. */
import { SLACK } from './bytes.ts';
import type { Columns, ParsedPiece } from './collector.ts';

/** So much is read at once: each piece costs both threads a message, and one takes as long as to parse 100 KB. */
export const PIECE_BYTES = 1 << 20;

/** A line or element that is longer is skipped and reported. Events have about a hundred bytes. */
export const LONGEST_ELEMENT = 1 << 18;

/** Before a piece: for what its parser keeps of the one before, so that the two lie side by side. */
export const HEADROOM = LONGEST_ELEMENT;

/** For a piece that begins with what was left of the one before. */
export const PIECE_ROOM = LONGEST_ELEMENT + PIECE_BYTES + SLACK;

export const TOO_LONG = `is longer than ${LONGEST_ELEMENT / 1024} KiB and was skipped`;

export interface PieceParser {
  /**
   * @param bytes has the piece behind {@link HEADROOM}, and {@link SLACK} zeros behind that; the same memory each time
   * @param offset of the piece in the log
   * @param isLast whether the log ends with it
   * @param columns to be filled
   */
  readonly parse: (bytes: Uint8Array, length: number, offset: number, isLast: boolean, columns: Columns) => ParsedPiece;
}
