/**
 * Reads a log and delivers its events in the log's order. A large log is read and parsed in a separate thread while
 * this thread counts; a small log is read in this thread. One extra thread is enough, because counting an event takes
 * as long as parsing it.
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

/** Called for each chunk, in order, with the number of bytes read so far. An error that it throws ends the reading. */
export type Deliver = (events: EventBatch, tally: Tally, taken: number) => void;

export interface Engine {
  /** @throws InputError if the log cannot be read */
  readonly run: (source: ByteSource, options: CutOptions, deliver: Deliver) => Promise<Format['kind']>;
  readonly close: () => Promise<unknown>;
}

/** Number of chunks: one is being filled, one is being counted, and the others absorb short delays of either thread. */
const SLOTS = 6;

/** Adds the clients' names to a chunk. The names are indexed by the parser's numbers. A batch is valid until the next one. */
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

  /** Handlers for the log that is being read. */
  let onMessage: (message: FromReader) => void = () => undefined;
  let onError: (error: unknown) => void = () => undefined;
  reader.on('error', (error) => onError(error));
  reader.on('message', (message: FromReader) => {
    try {
      onMessage(message);
    } catch (error) {
      onMessage = () => undefined;
      onError(error);
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
        onMessage = (message) => {
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
        onError = reject;
        post({ kind: 'open', name, ...(fd === undefined ? {} : { fd }) });
      });
    },
    close: () => reader.terminate(),
  };
}

/** Reads a source that only this thread can read. While one buffer is parsed, the other one is filled. */
function readAhead(source: ByteSource, buffers: readonly SharedArrayBuffer[]): () => Promise<Bytes> {
  const views = buffers.map((buffer) => new Uint8Array(buffer));
  let buffer = 0;
  let ahead = fill();
  // It may reject before anybody awaits it.
  ahead.catch(() => undefined);

  async function fill(): Promise<Bytes> {
    const into = views[buffer] ?? new Uint8Array(0);
    let length = 0;
    let count = -1;
    // A pipe delivers a little at a time, and each message costs a switch between the two threads.
    while (count !== 0 && length < into.length / 2) {
      count = await source.read(into.subarray(length));
      length += count;
    }
    const readError = source.readError();
    return { buffer, length, taken: source.taken(), ...(readError === undefined ? {} : { readError }) };
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

/** The extension of this file, which is .js in the published package. */
const EXTENSION = extname(import.meta.url);
