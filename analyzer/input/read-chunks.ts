/** Reads a source to its end, a chunk at a time. */

import { createParser, type Format } from '../formats/detect-format.ts';
import { CHUNK_ROOM, HEADROOM } from '../parsing/chunk-parser.ts';
import type { Columns, ParsedChunk } from '../parsing/collector.ts';
import type { ByteSource } from './byte-source.ts';
import { type CutOptions, createCutter } from './chunk-cutter.ts';

/** Initial number of rows in the columns: as many as a chunk of short events has. */
export const FIRST_ROWS = 1 << 16;

export interface ChunkTaker {
  /** Returns the columns to fill with the next chunk. */
  readonly columns: () => Columns;
  /** Called with each chunk. Its columns are the ones from `columns`, or larger ones that replace them. */
  readonly take: (parsed: ParsedChunk) => Promise<void> | void;
}

/** @throws InputError if the log is empty or has an unknown format; and any error that `take` throws */
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
