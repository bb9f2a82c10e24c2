/**
 * Reads a log and hands over its events in the log's order: in a thread of its own while this one counts, or, where a log is too
 * small for that to be worth it, right here. One thread is enough: to count an event takes as long as to parse it.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Format } from '../formats/detect-format.ts';
import { CHUNK_BYTES } from '../parsing/chunk-parser.ts';
import { createColumns, type ParsedChunk } from '../parsing/collector.ts';
import type { EventBatch } from '../parsing/event.ts';
import type { Tally } from '../parsing/problem.ts';
import type { ByteSource } from './byte-source.ts';
import type { CutOptions } from './chunk-cutter.ts';
import { InputError } from './input-error.ts';
import { FIRST_ROWS, readChunks } from './read-chunks.ts';
import type { Bytes, FromReader, ReaderData, ToReader } from './reader-thread.ts';

/** Told for each chunk, in order, and how much of the source was taken by then. What it throws ends the reading. */
export type Deliver = (events: EventBatch, tally: Tally, taken: number) => void;

export interface Engine {
  /** @throws InputError if the log cannot be read */
  readonly run: (source: ByteSource, options: CutOptions, deliver: Deliver) => Promise<Format['kind']>;
  readonly close: () => Promise<unknown>;
}

/** Chunks of which one is filled and one is counted. The others are for when either thread is held up for a moment. */
const SLOTS = 6;

/** Names by the number that a parser gave them. A batch is valid until the next. */
function createNames(): (parsed: ParsedChunk) => EventBatch {
  let names: string[] = [];
  return ({ columns, length, newNames, isReset }) => {
    if (isReset) {
      names = [];
    }
    names.push(...newNames);
    return { ...columns, length, names };
  };
}

export function createInlineEngine(): Engine {
  return {
    async run(source, options, deliver) {
      const toBatch = createNames();
      let columns = createColumns(FIRST_ROWS, false);
      return await readChunks(source, options, {
        columns: () => columns,
        take(parsed) {
          columns = parsed.columns;
          deliver(toBatch(parsed), parsed.tally, source.taken());
        },
      });
    },
    close: () => Promise.resolve(),
  };
}

export function createThreadedEngine(): Engine {
  const buffers = [new SharedArrayBuffer(CHUNK_BYTES), new SharedArrayBuffer(CHUNK_BYTES)];
  const columnsOf = Array.from({ length: SLOTS }, () => createColumns(FIRST_ROWS, true));
  const workerData: ReaderData = { buffers, slots: columnsOf };
  const reader = new Worker(new URL(`./reader-thread${EXTENSION}`, import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  });

  /** Of the log that is being read. */
  let hears: (message: FromReader) => void = () => undefined;
  let fails: (error: unknown) => void = () => undefined;
  reader.on('error', (error) => fails(error));
  reader.on('message', (message: FromReader) => {
    try {
      hears(message);
    } catch (error) {
      hears = () => undefined;
      fails(error);
    }
  });

  function post(message: ToReader): void {
    reader.postMessage(message);
  }

  return {
    async run(source, { name }, deliver) {
      const { fd } = source;
      const toBatch = createNames();
      const nextBytes = fd === undefined ? readAhead(source, buffers) : undefined;

      function takeChunk(message: Extract<FromReader, { kind: 'chunk' }>): void {
        const { slot, columns = columnsOf[slot], ...parsed } = message;
        if (columns === undefined) {
          throw new Error(`There are no columns in slot ${slot}`);
        }
        columnsOf[slot] = columns;
        deliver(toBatch({ ...parsed, columns }), parsed.tally, parsed.taken);
        post({ kind: 'free', slot });
      }

      return await new Promise<Format['kind']>((resolve, reject) => {
        hears = (message) => {
          switch (message.kind) {
            case 'chunk':
              takeChunk(message);
              break;
            case 'more':
              nextBytes?.().then((bytes) => post({ kind: 'bytes', ...bytes }), reject);
              break;
            case 'end':
              resolve(message.format);
              break;
            case 'complaint':
              reject(new InputError(message.complaint));
          }
        };
        fails = reject;
        post({ kind: 'open', name, ...(fd === undefined ? {} : { fd }) });
      });
    },
    close: () => reader.terminate(),
  };
}

/** For a source that this thread must read: while one buffer is parsed, the other is filled. */
function readAhead(source: ByteSource, buffers: readonly SharedArrayBuffer[]): () => Promise<Bytes> {
  const views = buffers.map((buffer) => new Uint8Array(buffer));
  let buffer = 0;
  let ahead = fill();
  // It may fail before it is asked for.
  ahead.catch(() => undefined);

  async function fill(): Promise<Bytes> {
    const into = views[buffer] ?? new Uint8Array(0);
    let length = 0;
    let count = -1;
    // A pipe brings a little at a time, and each answer costs a turn of two threads.
    while (count !== 0 && length < into.length / 2) {
      count = await source.read(into.subarray(length));
      length += count;
    }
    const trouble = source.trouble();
    return { buffer, length, taken: source.taken(), ...(trouble === undefined ? {} : { trouble }) };
  }

  return async () => {
    const bytes = await ahead;
    if (bytes.length > 0) {
      buffer = (buffer + 1) % views.length;
      ahead = fill();
      ahead.catch(() => undefined);
    }
    return bytes;
  };
}

/** That of this file: in the package, it is JavaScript. */
const EXTENSION = extname(import.meta.url);
