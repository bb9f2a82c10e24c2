/** Builds batches like a parser's from literal events. */
import { EVENT_TYPES, type EventBatch, type EventType } from '../../../analyzer/parsing/event.ts';

/** `at`: milliseconds after {@link START}; undefined for an event without a timestamp. */
export type Row = readonly [at: number | undefined, client: string, type: EventType, interval?: number];

export const START = Date.UTC(2026, 0, 1, 12);

export function batch(rows: readonly Row[]): EventBatch {
  const names = [...new Set(rows.map(([, client]) => client))];
  return {
    length: rows.length,
    timestamps: Float64Array.from(rows, ([at]) => (at === undefined ? Number.NaN : START + at)),
    clients: Uint32Array.from(rows, ([, client]) => names.indexOf(client)),
    names,
    types: Uint8Array.from(rows, ([, , type]) => EVENT_TYPES.indexOf(type)),
    intervals: Float64Array.from(rows, ([, , , interval]) => interval ?? Number.NaN),
  };
}
