/** A thread that parses. Pieces lie in memory that it shares with the main thread, and so do the columns that it fills. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Columns, createColumns, type ParsedPiece } from './collector.ts';
import type { Piece } from './cutter.ts';
import { createParser, type Format } from './format.ts';

export interface WorkerSettings {
  readonly slots: readonly SharedArrayBuffer[];
}

export type Task =
  | { readonly kind: 'start'; readonly format: Format }
  | { readonly kind: 'piece'; readonly slot: number; readonly piece: Piece };

export type Answer = ParsedPiece;

const FIRST_ROWS = 1 << 14;

const { slots }: WorkerSettings = workerData;
const pieces = slots.map((slot) => new Uint8Array(slot));
/** Each slot has its own: the main thread reads one while another is filled. */
const columns: Columns[] = slots.map(() => createColumns(FIRST_ROWS, true));
let parser = createParser({ kind: 'ndjson' });

parentPort?.on('message', (task: Task) => {
  if (task.kind === 'start') {
    parser = createParser(task.format);
    return;
  }
  const { slot, piece } = task;
  const [bytes, room] = [pieces[slot], columns[slot]];
  if (bytes === undefined || room === undefined) {
    throw new Error(`There is no slot ${slot}`);
  }
  const parsed: Answer = parser.parse(bytes, piece.length, piece.offset, piece.isLast, room);
  columns[slot] = parsed.columns;
  parentPort?.postMessage(parsed);
});
