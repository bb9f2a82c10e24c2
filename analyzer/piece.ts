/** How a log is cut up, and what a parser of the pieces looks like. */
import { SLACK } from './bytes.ts';
import type { Collector, Columns, ParsedPiece } from './collector.ts';

/** So much is read at once. */
export const PIECE_BYTES = 1 << 18;

/** A line or element that is longer is skipped and reported. Events have about a hundred bytes. */
export const LONGEST_ELEMENT = 1 << 18;

/** A piece begins with what was left of the one before. */
export const PIECE_ROOM = LONGEST_ELEMENT + PIECE_BYTES + SLACK;

export const TOO_LONG = `is longer than ${LONGEST_ELEMENT / 1024} KiB and was skipped`;

export interface PieceParser {
  /**
   * @param piece with {@link SLACK} readable bytes behind `length`
   * @param offset of the piece in the log
   * @param isLast whether the log ends with it
   * @param columns to be filled
   */
  readonly parse: (piece: Uint8Array, length: number, offset: number, isLast: boolean, columns: Columns) => ParsedPiece;
}

export type PieceReader = (collector: Collector) => PieceParser;
