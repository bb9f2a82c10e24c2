/**
 * Per client, the most requests in a minute that slides in steps of 5 seconds: a window is 12 buckets, so it is
 * never longer than a minute, and a peak across two windows may be told as a few requests less.
 */
import { type FleetEvents, NOBODY } from './fleet-events.ts';

export interface PeakRate {
  /** Times come in ascending order. */
  readonly add: (events: FleetEvents) => void;
  readonly read: (client: number) => number;
}

const BUCKET_MS = 5_000;
/** In buckets. */
const WINDOW = 12;
const LAST_BUCKET = 0x7fff_ffff;

/** A record for each client, in units of 4 bytes. */
const RECORD = 16;
const NEWEST_BUCKET = 0;
const IN_WINDOW = 1;
const PEAK = 2;
/** A bit for each bucket that is not 0: of twelve, a client that waits for some time has one or two. */
const FILLED = 3;
const BUCKETS = 4;

export function createPeakRate(maxClients: number): PeakRate {
  const int32 = new Int32Array(maxClients * RECORD);

  /** Empties the buckets that the window has left. */
  function moveOn(place: number, bucket: number): void {
    const newest = int32[place + NEWEST_BUCKET] ?? 0;
    const filled = int32[place + FILLED] ?? 0;
    const left = bucket - newest < WINDOW ? filled & bitsOf(newest + 1, bucket - newest) : filled;
    let inWindow = int32[place + IN_WINDOW] ?? 0;
    for (let bits = left; bits !== 0; bits &= bits - 1) {
      const old = place + BUCKETS + 31 - Math.clz32(bits & -bits);
      inWindow -= int32[old] ?? 0;
      int32[old] = 0;
    }
    int32[place + NEWEST_BUCKET] = bucket;
    int32[place + IN_WINDOW] = inWindow;
    int32[place + FILLED] = filled & ~left;
  }

  function addTo(client: number, bucket: number): void {
    const place = client * RECORD;
    if (bucket > (int32[place + NEWEST_BUCKET] ?? 0)) {
      moveOn(place, bucket);
    }
    const own = bucket % WINDOW;
    int32[place + FILLED] = (int32[place + FILLED] ?? 0) | (1 << own);
    int32[place + BUCKETS + own] = (int32[place + BUCKETS + own] ?? 0) + 1;
    const inWindow = (int32[place + IN_WINDOW] ?? 0) + 1;
    int32[place + IN_WINDOW] = inWindow;
    if (inWindow > (int32[place + PEAK] ?? 0)) {
      int32[place + PEAK] = inWindow;
    }
  }

  return {
    add({ length, timestamps, clients }) {
      let bucket = 0;
      let end = Number.NEGATIVE_INFINITY;
      for (let row = 0; row < length; row += 1) {
        const client = clients[row] ?? NOBODY;
        if (client === NOBODY) {
          continue;
        }
        const time = timestamps[row] ?? 0;
        if (time >= end) {
          bucket = bucketOf(time);
          end = (bucket + 1) * BUCKET_MS;
        }
        addTo(client, bucket);
      }
    },
    read: (client) => int32[client * RECORD + PEAK] ?? 0,
  };
}

/** Of so many buckets, fewer than a window has, from this one on. */
function bitsOf(bucket: number, count: number): number {
  const bits = ((1 << count) - 1) << (bucket % WINDOW);
  return bits | (bits >> WINDOW);
}

/** What is before 1970 or after 2310 is no time of a log. */
function bucketOf(time: number): number {
  return Math.min(LAST_BUCKET, Math.max(0, Math.floor(time / BUCKET_MS)));
}
