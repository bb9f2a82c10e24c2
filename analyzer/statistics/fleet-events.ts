/**
 * Events on their way through the statistics: columns, which each of them reads in a loop of its own. Handed over one by one,
 * every time and interval would be an object; for the same reason whoever reads a column is told the row, and not the value.
 */
import type { EventBatch } from '../parsing/event.ts';

/** A column for each field, valid up to `length`. */
export interface FleetEvents extends Pick<EventBatch, 'length' | 'timestamps' | 'types'> {
  /** The fleet's numbers; {@link NOBODY} for clients of whom no statistics are kept. */
  readonly clients: Int32Array;
  /** Reported intervals as interval-code.ts has them, or NO_INTERVAL. */
  readonly codes: Uint16Array;
}

/** As they come, with all that the log says of them. */
export type CountedEvents = FleetEvents & Pick<EventBatch, 'intervals'>;

export const NOBODY = -1;

/** @returns room for so many */
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
