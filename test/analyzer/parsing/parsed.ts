/** Runs a parser over chunks like the analyzer does, and returns the events as objects. */

import { createArrayParser } from '../../../analyzer/parsing/array-parser.ts';
import { SLACK } from '../../../analyzer/parsing/bytes.ts';
import { CHUNK_ROOM, HEADROOM } from '../../../analyzer/parsing/chunk-parser.ts';
import { createCollector, createColumns } from '../../../analyzer/parsing/collector.ts';
import { EVENT_TYPES } from '../../../analyzer/parsing/event.ts';
import { readCoreElement } from '../../../analyzer/parsing/event-reader.ts';
import { createElementScanner } from '../../../analyzer/parsing/fast-event-scanner.ts';
import { createLineParser } from '../../../analyzer/parsing/line-parser.ts';
import { addTallies, EMPTY_TALLY, type Tally } from '../../../analyzer/parsing/problem.ts';
import type { ReadEvent } from '../../../analyzer/parsing/read-result.ts';

const bytes = Buffer.alloc(HEADROOM + CHUNK_ROOM);

export function parseChunks(
  kind: 'lines' | 'array',
  chunks: readonly (Buffer | string)[],
): { events: ReadEvent[]; tally: Tally } {
  const collector = createCollector(kind === 'lines');
  const parser =
    kind === 'lines'
      ? createLineParser(collector, readCoreElement, createElementScanner(false))
      : createArrayParser(collector);
  const names: string[] = [];
  const events: ReadEvent[] = [];
  let tally = EMPTY_TALLY;
  let offset = 0;
  for (const [index, chunk] of chunks.entries()) {
    const length = Buffer.from(chunk).copy(bytes, HEADROOM);
    bytes.fill(0, HEADROOM + length, HEADROOM + length + SLACK);
    const parsed = parser.parse(bytes, length, offset, index === chunks.length - 1, createColumns(1, false));
    offset += length;
    names.push(...parsed.newNames);
    tally = addTallies(tally, parsed.tally);
    for (let row = 0; row < parsed.length; row += 1) {
      events.push({
        client: names[parsed.columns.clients[row] ?? 0] ?? '',
        type: EVENT_TYPES[parsed.columns.types[row] ?? 0] ?? 'connect',
        timestamp: parsed.columns.timestamps[row] ?? 0,
        interval: parsed.columns.intervals[row] ?? 0,
      });
    }
  }
  return { events, tally };
}

export function arrayOf(elements: readonly string[]): string {
  return `[${elements.join(',')}]`;
}
