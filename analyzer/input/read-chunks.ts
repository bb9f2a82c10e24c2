/** Reads a source to its end, a chunk at a time. */

import { createParser, type Format } from '../formats/detect-format.ts';
import { CHUNK_ROOM, HEADROOM } from '../parsing/chunk-parser.ts';
import type { Columns, ParsedChunk } from '../parsing/collector.ts';
import type { ByteSource } from './byte-source.ts';
import { type CutOptions, createCutter } from './chunk-cutter.ts';

/** Of columns, to begin with: a chunk of short events has as many. */
export const FIRST_ROWS = 1 << 16;

export interface ChunkTaker {
  /** To be filled next. */
  readonly columns: () => Columns;
  /** Told each chunk, whose columns are those, or larger ones. */
  readonly take: (parsed: ParsedChunk) => Promise<void> | void;
}

/** @throws InputError for an empty log and for one of an unknown format; and what `take` throws */
export async function readChunks(
  source: ByteSource,
  options: CutOptions,
  { columns, take }: ChunkTaker,
): Promise<Format['kind']> {
  const cutter = await createCutter(source, options);
  const parser = createParser(cutter.format);
  const bytes = new Uint8Array(HEADROOM + CHUNK_ROOM);
  const room = bytes.subarray(HEADROOM);
  for (let chunk = await cutter.next(room); chunk !== undefined; chunk = await cutter.next(room)) {
    await take(parser.parse(bytes, chunk.length, chunk.offset, chunk.isLast, columns()));
  }
  return cutter.format.kind;
}
