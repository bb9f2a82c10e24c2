/**
 * Events for the statistics, in columns. Each statistic reads the columns in its own loop. If events were passed one by one,
 * every timestamp and interval would become an object. For the same reason, functions get the row and not the value.
 */
import type { EventBatch } from '../parsing/event.ts';

/** One column per field, filled up to `length`. */
export interface FleetEvents extends Pick<EventBatch, 'length' | 'timestamps' | 'types'> {
  /** The fleet's numbers for the clients; {@link UNTRACKED} for clients without statistics. */
  readonly clients: Int32Array;
  /** Reported intervals as encoded by interval-code.ts, or NO_INTERVAL. */
  readonly codes: Uint16Array;
}

/** Events in the order of arrival, with the exact intervals that the log reports. */
export type CountedEvents = FleetEvents & Pick<EventBatch, 'intervals'>;

export const UNTRACKED = -1;

/** @returns empty columns with this many rows */
export function createFleetEvents(rows: number): FleetEvents {
  return {
    length: 0,
    timestamps: new Float64Array(rows),
    clients: new Int32Array(rows),
    types: new Uint8Array(rows),
    codes: new Uint16Array(rows),
  };
}

export function copyEvent(from: FleetEvents, row: number, to: FleetEvents, place: number): void {
  to.timestamps[place] = from.timestamps[row] ?? 0;
  to.clients[place] = from.clients[row] ?? 0;
  to.types[place] = from.types[row] ?? 0;
  to.codes[place] = from.codes[row] ?? 0;
}

/** @returns copies of these rows */
export function pickEvents(events: FleetEvents, rows: readonly number[]): FleetEvents {
  const picked = createFleetEvents(rows.length);
  rows.forEach((row, place) => {
    copyEvent(events, row, picked, place);
  });
  return { ...picked, length: rows.length };
}
