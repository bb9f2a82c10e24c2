/**
 * Per client, what depends on the order of events: its last intervals, reported or derived, and connections that were
 * closed as soon as they stood.
 */
import type { Intervals } from './growth.ts';
import { encodeInterval } from './interval-code.ts';
import { KEPT_INTERVALS, readIntervals } from './interval-ring.ts';
import { SHORT_SESSION_MS } from './report.ts';

export interface ClientSequences {
  /** Times come in ascending order; NaN where there is none. `interval` is NaN where the log has none. */
  readonly add: (time: number, client: number, type: number, interval: number) => void;
  readonly read: (client: number) => Sequence;
}

export interface Sequence {
  readonly intervals: Intervals;
  readonly source: 'reported' | 'derived' | 'none';
  readonly shortSessions: number;
}

const CONNECT = 0;
const DISCONNECT = 1;
const NOTHING_YET = 255;

const IS_CONNECTED_SINCE = 1;
const HAS_REPORTED = 2;

export function createClientSequences(maxClients: number): ClientSequences {
  const rings = new Uint16Array(maxClients * KEPT_INTERVALS);
  const written = new Uint32Array(maxClients);
  const flags = new Uint8Array(maxClients);
  const lastTimes = new Float64Array(maxClients);
  // 0 is a connect, so "nothing yet" is stored as its complement: untouched memory must mean nothing.
  const lastTypes = new Uint8Array(maxClients);
  const shortSessions = new Uint32Array(maxClients);

  function write(client: number, interval: number): void {
    const count = written[client] ?? 0;
    const code = encodeInterval(interval, ((flags[client] ?? 0) & IS_CONNECTED_SINCE) !== 0);
    rings[client * KEPT_INTERVALS + (count % KEPT_INTERVALS)] = code;
    written[client] = count + 1;
    flags[client] = (flags[client] ?? 0) & ~IS_CONNECTED_SINCE;
  }

  function takeReported(client: number, interval: number): void {
    if (((flags[client] ?? 0) & HAS_REPORTED) === 0) {
      // What was derived until now is of another kind.
      flags[client] = (flags[client] ?? 0) | HAS_REPORTED;
      written[client] = 0;
    }
    write(client, interval);
  }

  /** The gap after a failure is a wait, and the time that the next try took. After a success it is neither. */
  function derive(client: number, type: number, gap: number, before: number): void {
    if (before === CONNECT) {
      const isShort = type === DISCONNECT && gap < SHORT_SESSION_MS;
      shortSessions[client] = (shortSessions[client] ?? 0) + (isShort ? 1 : 0);
    } else if (before !== NOTHING_YET && ((flags[client] ?? 0) & HAS_REPORTED) === 0) {
      write(client, gap);
    }
  }

  return {
    add(time, client, type, interval) {
      if (!Number.isNaN(time)) {
        derive(client, type, time - (lastTimes[client] ?? 0), NOTHING_YET - (lastTypes[client] ?? 0));
        lastTimes[client] = time;
        lastTypes[client] = NOTHING_YET - type;
      }
      if (!Number.isNaN(interval)) {
        takeReported(client, interval);
      }
      if (type === CONNECT) {
        flags[client] = (flags[client] ?? 0) | IS_CONNECTED_SINCE;
      }
    },
    read(client) {
      const ring = rings.subarray(client * KEPT_INTERVALS, (client + 1) * KEPT_INTERVALS);
      const count = written[client] ?? 0;
      const source = ((flags[client] ?? 0) & HAS_REPORTED) === 0 ? 'derived' : 'reported';
      return {
        intervals: readIntervals(ring, count),
        source: count === 0 ? 'none' : source,
        shortSessions: shortSessions[client] ?? 0,
      };
    },
  };
}
