/**
 * The figures of each client that depend on the order of its events: its last intervals, reported or derived, and its
 * short-lived connections.
 */

import { CONNECT, DISCONNECT } from '../parsing/event.ts';
import type { Intervals } from '../patterns/growth.ts';
import { encodeInterval, markCode, NO_INTERVAL } from '../patterns/interval-code.ts';
import { KEPT_INTERVALS, readIntervals } from '../patterns/interval-ring.ts';
import { type ClientRecords, FLOAT64, RECORD, UINT8, UINT32 } from './client-records.ts';
import { type FleetEvents, UNTRACKED } from './fleet-events.ts';

/** A connection that closes sooner counts as a short session. */
export const SHORT_SESSION_MS = 2_000;

export interface ClientSequences {
  /** Timestamps must be in ascending order; NaN if an event has none. */
  readonly add: (events: FleetEvents) => void;
  readonly read: (client: number) => Sequence;
  /** @returns number of connections that closed within {@link SHORT_SESSION_MS} */
  readonly shortSessions: (client: number) => number;
}

export interface Sequence {
  /** Valid until the next call of `read`. */
  readonly intervals: Intervals;
  readonly source: 'reported' | 'derived' | 'none';
}

const IS_CONNECTED_SINCE = 1;
const HAS_REPORTED = 2;

/** @param onDerived called with each interval that is derived from a gap */
export function createClientSequences(
  { uint8, uint32, float64 }: ClientRecords,
  maxClients: number,
  onDerived: (milliseconds: number) => void,
): ClientSequences {
  /** The ring buffers of all clients, one after the other. */
  const codes = new Uint16Array(maxClients * KEPT_INTERVALS);

  /** @param code not marked yet with what came before the interval */
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
      // Reported intervals replace the ones derived so far.
      setFlag(client, HAS_REPORTED);
      uint32[client * RECORD.uint32 + UINT32.written] = 0;
    }
    write(client, code);
  }

  function setFlag(client: number, flag: number): void {
    const place = client * RECORD.uint8 + UINT8.flags;
    uint8[place] = (uint8[place] ?? 0) | flag;
  }

  /**
   * The gap after a failure consists of the wait and the duration of the next attempt. The gap after a success is not a
   * wait.
   */
  function takeTime(client: number, { timestamps, types }: FleetEvents, row: number): void {
    const timePlace = client * RECORD.float64 + FLOAT64.lastTime;
    const typePlace = client * RECORD.uint8 + UINT8.lastType;
    const gap = (timestamps[row] ?? 0) - (float64[timePlace] ?? 0);
    const type = types[row] ?? 0;
    // Stored as type + 1, because untouched memory is 0 and must mean that there was no event yet.
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
        const client = events.clients[row] ?? UNTRACKED;
        if (client !== UNTRACKED) {
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
