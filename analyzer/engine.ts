/**
 * Parses a log's pieces and hands over their events in the log's order: on threads of their own while the main thread
 * counts, or, where a log is too small for that to be worth it, right here.
 */
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createColumns, type ParsedPiece } from './collector.ts';
import type { Cutter } from './cutter.ts';
import type { EventBatch } from './event.ts';
import { createParser, type Format, isSequential } from './format.ts';
import type { Answer, Task, WorkerSettings } from './parse-worker.ts';
import { PIECE_ROOM } from './piece.ts';
import type { Tally } from './problem.ts';

/** Told for each piece, in order. What it throws ends the parsing. */
export type Deliver = (events: EventBatch, tally: Tally) => void;

export interface Engine {
  readonly run: (cutter: Cutter, deliver: Deliver) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Pieces of each thread at once: one is read, one waits, one is parsed and one is counted. */
const SLOTS = 4;
/** Events are counted on one thread, which is not faster than these. */
const MOST_THREADS = 3;
const FIRST_ROWS = 1 << 14;

/** Names by the number that a parser gave them. A batch is valid until the next. */
function createNames(): (parsed: ParsedPiece) => EventBatch {
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
  const bytes = new Uint8Array(PIECE_ROOM);
  let columns = createColumns(FIRST_ROWS, false);
  return {
    async run(cutter, deliver) {
      const parser = createParser(cutter.format);
      const toBatch = createNames();
      for (let piece = await cutter.next(bytes); piece !== undefined; piece = await cutter.next(bytes)) {
        const parsed = parser.parse(bytes, piece.length, piece.offset, piece.isLast, columns);
        columns = parsed.columns;
        deliver(toBatch(parsed), parsed.tally);
      }
    },
    close: () => Promise.resolve(),
  };
}

export function createThreadedEngine(
  threads = Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1)),
): Engine {
  const workers: ParseWorker[] = [];

  function workersFor(format: Format): ParseWorker[] {
    const count = isSequential(format) ? 1 : threads;
    while (workers.length < count) {
      workers.push(startWorker());
    }
    return workers.slice(0, count);
  }

  return {
    async run(cutter, deliver) {
      const lanes = workersFor(cutter.format).map((worker) => ({ worker, toBatch: createNames() }));
      for (const { worker } of lanes) {
        worker.start(cutter.format);
      }
      // Round the lanes, and within each lane round its slots: whichever piece is counted next frees the slot that is
      // filled next.
      const places = Array.from({ length: SLOTS }, (_, slot) => lanes.map((lane) => ({ ...lane, slot }))).flat();
      const waiting: (() => Promise<void>)[] = [];
      for (const { worker, toBatch, slot } of endlessly(places)) {
        const reading = cutter.next(worker.slot(slot));
        // It may fail while another piece is counted.
        reading.catch(() => undefined);
        if (waiting.length === places.length - 1) {
          await waiting.shift()?.();
        }
        const piece = await reading;
        if (piece === undefined) {
          break;
        }
        const parsing = worker.parse({ kind: 'piece', slot, piece });
        waiting.push(async () => {
          const parsed = await parsing;
          deliver(toBatch(parsed), parsed.tally);
        });
      }
      for (const count of waiting) {
        await count();
      }
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.end()));
    },
  };
}

function* endlessly<Item>(items: readonly Item[]): Generator<Item> {
  for (;;) {
    yield* items;
  }
}

interface ParseWorker {
  readonly slot: (index: number) => Uint8Array;
  readonly start: (format: Format) => void;
  readonly parse: (task: Task) => Promise<Answer>;
  readonly end: () => Promise<unknown>;
}

function startWorker(): ParseWorker {
  const slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(PIECE_ROOM));
  const workerData: WorkerSettings = { slots };
  const worker = new Worker(new URL(`./parse-worker${EXTENSION}`, import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  });
  const asked: { resolve: (answer: Answer) => void; reject: (error: Error) => void }[] = [];
  let failure: Error | undefined;
  worker.on('message', (answer: Answer) => asked.shift()?.resolve(answer));
  worker.on('error', (error: Error) => {
    failure = error;
    for (const { reject } of asked.splice(0)) {
      reject(error);
    }
  });
  return {
    slot: (index) => new Uint8Array(slots[index] ?? new SharedArrayBuffer(0)),
    start: (format) => post({ kind: 'start', format }),
    parse(task) {
      const parsing = new Promise<Answer>((resolve, reject) => {
        if (failure === undefined) {
          asked.push({ resolve, reject });
          post(task);
        } else {
          reject(failure);
        }
      });
      // It may fail before its turn has come to be waited for.
      parsing.catch(() => undefined);
      return parsing;
    },
    end: () => worker.terminate(),
  };

  function post(task: Task): void {
    worker.postMessage(task);
  }
}

/** That of this file: in the package, it is JavaScript. */
const EXTENSION = extname(import.meta.url);
