/**
 * Per client, what depends on the order of events: its last intervals, reported or derived, and connections that were
 * closed as soon as they stood.
 */

import { CONNECT, DISCONNECT } from '../parsing/event.ts';
import type { Intervals } from '../patterns/growth.ts';
import { encodeInterval, markCode, NO_INTERVAL } from '../patterns/interval-code.ts';
import { KEPT_INTERVALS, readIntervals } from '../patterns/interval-ring.ts';
import { type ClientRecords, FLOAT64, RECORD, UINT8, UINT32 } from './client-records.ts';
import { type FleetEvents, NOBODY } from './fleet-events.ts';

/** A connection that is closed sooner did not serve anybody. */
export const SHORT_SESSION_MS = 2_000;

export interface ClientSequences {
  /** Times come in ascending order; NaN where there is none. */
  readonly add: (events: FleetEvents) => void;
  readonly read: (client: number) => Sequence;
  /** Connections that were closed as soon as they stood. */
  readonly shortSessions: (client: number) => number;
}

export interface Sequence {
  /** Valid until the next are read. */
  readonly intervals: Intervals;
  readonly source: 'reported' | 'derived' | 'none';
}

const IS_CONNECTED_SINCE = 1;
const HAS_REPORTED = 2;

/** @param onDerived told each interval that the log does not have */
export function createClientSequences(
  { uint8, uint32, float64 }: ClientRecords,
  maxClients: number,
  onDerived: (milliseconds: number) => void,
): ClientSequences {
  /** A ring for each client, side by side. */
  const codes = new Uint16Array(maxClients * KEPT_INTERVALS);

  /** @param code that does not say yet what stood before it */
  function write(client: number, code: number): void {
    const place = client * RECORD.uint32 + UINT32.written;
    const flags = client * RECORD.uint8 + UINT8.flags;
    const written = uint32[place] ?? 0;
    const isAfterConnect = ((uint8[flags] ?? 0) & IS_CONNECTED_SINCE) !== 0;
    codes[client * KEPT_INTERVALS + (written % KEPT_INTERVALS)] = markCode(code, isAfterConnect);
    uint32[place] = written + 1;
    uint8[flags] = (uint8[flags] ?? 0) & ~IS_CONNECTED_SINCE;
  }

  function hasReported(client: number): boolean {
    return ((uint8[client * RECORD.uint8 + UINT8.flags] ?? 0) & HAS_REPORTED) !== 0;
  }

  function takeReported(client: number, code: number): void {
    if (!hasReported(client)) {
      // What was derived until now is of another kind.
      setFlag(client, HAS_REPORTED);
      uint32[client * RECORD.uint32 + UINT32.written] = 0;
    }
    write(client, code);
  }

  function setFlag(client: number, flag: number): void {
    const place = client * RECORD.uint8 + UINT8.flags;
    uint8[place] = (uint8[place] ?? 0) | flag;
  }

  /** The gap after a failure is a wait, and the time that the next try took. After a success it is neither. */
  function takeTime(client: number, { timestamps, types }: FleetEvents, row: number): void {
    const timePlace = client * RECORD.float64 + FLOAT64.lastTime;
    const typePlace = client * RECORD.uint8 + UINT8.lastType;
    const gap = (timestamps[row] ?? 0) - (float64[timePlace] ?? 0);
    const type = types[row] ?? 0;
    // One more than the type: untouched memory is 0 and must mean that there is none yet.
    const before = (uint8[typePlace] ?? 0) - 1;
    if (before === CONNECT) {
      if (type === DISCONNECT && gap < SHORT_SESSION_MS) {
        const place = client * RECORD.uint32 + UINT32.shortSessions;
        uint32[place] = (uint32[place] ?? 0) + 1;
      }
    } else if (before >= 0 && !hasReported(client)) {
      write(client, encodeInterval(gap));
      onDerived(gap);
    }
    float64[timePlace] = timestamps[row] ?? 0;
    uint8[typePlace] = type + 1;
  }

  function addOne(client: number, events: FleetEvents, row: number): void {
    if (!Number.isNaN(events.timestamps[row])) {
      takeTime(client, events, row);
    }
    const code = events.codes[row] ?? NO_INTERVAL;
    if (code !== NO_INTERVAL) {
      takeReported(client, code);
    }
    if (events.types[row] === CONNECT) {
      setFlag(client, IS_CONNECTED_SINCE);
    }
  }

  return {
    add(events) {
      for (let row = 0; row < events.length; row += 1) {
        const client = events.clients[row] ?? NOBODY;
        if (client !== NOBODY) {
          addOne(client, events, row);
        }
      }
    },
    read(client) {
      const written = uint32[client * RECORD.uint32 + UINT32.written] ?? 0;
      const source = hasReported(client) ? 'reported' : 'derived';
      return {
        intervals: readIntervals(codes, client * KEPT_INTERVALS, written),
        source: written === 0 ? 'none' : source,
      };
    },
    shortSessions: (client) => uint32[client * RECORD.uint32 + UINT32.shortSessions] ?? 0,
  };
}
