/**
 * Collects what a parser reads from one chunk of a log: events in columns, names in a table that is kept across chunks, and
 * problems in a tally. The result of {@link Collector.take} can be posted to another thread as it is.
 */
import { Buffer } from 'node:buffer';
import { createClientTable, hashOf } from './client-table.ts';
import { EVENT_TYPES } from './event.ts';
import type { ScannedElement } from './fast-event-scanner.ts';
import { kindOf, LONGEST_VALUE, MOST_EXAMPLES, type Problem, type Tally } from './problem.ts';
import type { ReadResult } from './read-result.ts';

/** Columns may be shared with another thread, and are filled up to `length`. */
export interface Columns {
  readonly timestamps: Float64Array;
  readonly intervals: Float64Array;
  /** The table's numbers for the clients. */
  readonly clients: Uint32Array;
  readonly types: Uint8Array;
}

export interface ParsedChunk {
  readonly columns: Columns;
  readonly length: number;
  /** Names of the new clients, in the order of their numbers. */
  readonly newNames: readonly string[];
  /** Whether the numbers start again at 0 with these names. */
  readonly isReset: boolean;
  readonly tally: Tally;
}

/** @returns the beginning of the reported line or element; only called for the problems that are shown */
export type Excerpt = (longest: number) => string;

export interface Collector {
  /** @param columns the columns to fill; they are replaced by larger ones if they are too short */
  readonly begin: (columns: Columns) => void;
  readonly line: () => void;
  readonly addScanned: (bytes: Uint8Array, scanned: Readonly<ScannedElement>) => void;
  readonly add: (result: ReadResult, offset: number, excerpt: Excerpt) => void;
  readonly take: () => ParsedChunk;
}

/** @param shared whether another thread reads the columns */
export function createColumns(rows: number, shared: boolean): Columns {
  const memory = (bytes: number) => (shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  return {
    timestamps: new Float64Array(memory(rows * 8)),
    intervals: new Float64Array(memory(rows * 8)),
    clients: new Uint32Array(memory(rows * 4)),
    types: new Uint8Array(memory(rows)),
  };
}

/** @param hasLines whether problems have line numbers */
export function createCollector(hasLines: boolean): Collector {
  const table = createClientTable();
  let columns = createColumns(0, false);
  let { timestamps, intervals, clients, types } = columns;
  let length = 0;

  let isReset = false;
  let tally = emptyTally();
  const kinds = new Set<string>();

  function grow(): void {
    const larger = createColumns(Math.max(1024, timestamps.length * 2), timestamps.buffer instanceof SharedArrayBuffer);
    larger.timestamps.set(timestamps);
    larger.intervals.set(intervals);
    larger.clients.set(clients);
    larger.types.set(types);
    columns = larger;
    ({ timestamps, intervals, clients, types } = larger);
  }

  function push(number: number, timestamp: number, type: number, interval: number): void {
    if (length === timestamps.length) {
      grow();
    }
    timestamps[length] = timestamp;
    intervals[length] = interval;
    clients[length] = number;
    types[length] = type;
    length += 1;
  }

  function complain(complaint: string, offset: number, excerpt: Excerpt): void {
    const kind = kindOf(complaint);
    if (tally.problems.length < MOST_EXAMPLES || !kinds.has(kind)) {
      kinds.add(kind);
      const where = hasLines ? { line: tally.lines, offset } : { offset };
      tally.problems.push({ ...where, complaint, value: excerpt(LONGEST_VALUE) });
    }
  }

  return {
    begin(given) {
      columns = given;
      ({ timestamps, intervals, clients, types } = given);
      length = 0;
      tally = emptyTally();
      kinds.clear();
      isReset = table.resetIfFull();
    },
    line() {
      tally.lines += 1;
    },
    addScanned(bytes, { nameFrom, nameTo, nameHash, timestamp, type, interval }) {
      push(table.numberOf(bytes, nameFrom, nameTo, nameHash), timestamp, type, interval);
    },
    add(result, offset, excerpt) {
      if (result.kind === 'other') {
        tally.other += 1;
        return;
      }
      if (result.kind === 'event') {
        const { client, timestamp, type, interval } = result.event;
        const name = Buffer.from(client);
        push(table.numberOf(name, 0, name.length, hashOf(name)), timestamp, EVENT_TYPES.indexOf(type), interval);
      } else {
        tally.rejected += 1;
      }
      if (result.complaint !== undefined) {
        tally.incomplete += result.kind === 'event' ? 1 : 0;
        complain(result.complaint, offset, excerpt);
      }
    },
    take() {
      tally.events = length;
      return { columns, length, newNames: table.takeNames(), isReset, tally };
    },
  };
}

function emptyTally() {
  const problems: Problem[] = [];
  return { lines: 0, events: 0, rejected: 0, incomplete: 0, other: 0, problems };
}
