/** Reads a source to its end, a piece at a time. */

import { createParser, type Format } from '../formats/detect-format.ts';
import { HEADROOM, PIECE_ROOM } from '../parsing/chunk-parser.ts';
import type { Columns, ParsedPiece } from '../parsing/collector.ts';
import type { ByteSource } from './byte-source.ts';
import { type CutOptions, createCutter } from './chunk-cutter.ts';

/** Of columns, to begin with: a piece of short events has as many. */
export const FIRST_ROWS = 1 << 16;

export interface PieceTaker {
  /** To be filled next. */
  readonly columns: () => Columns;
  /** Told each piece, whose columns are those, or larger ones. */
  readonly take: (parsed: ParsedPiece) => Promise<void> | void;
}

/** @throws InputError for an empty log and for one of an unknown format; and what `take` throws */
export async function readPieces(
  source: ByteSource,
  options: CutOptions,
  { columns, take }: PieceTaker,
): Promise<Format['kind']> {
  const cutter = await createCutter(source, options);
  const parser = createParser(cutter.format);
  const bytes = new Uint8Array(HEADROOM + PIECE_ROOM);
  const room = bytes.subarray(HEADROOM);
  for (let piece = await cutter.next(room); piece !== undefined; piece = await cutter.next(room)) {
    await take(parser.parse(bytes, piece.length, piece.offset, piece.isLast, columns()));
  }
  return cutter.format.kind;
}
