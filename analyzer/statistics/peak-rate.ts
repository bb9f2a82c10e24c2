/**
 * The peak of each client: the most requests within one minute, with a window that slides in steps of 5 seconds. A window is
 * 12 buckets, so it is never longer than a minute, and the peak of a minute between two steps may be a few requests too low.
 */
import { type FleetEvents, UNTRACKED } from './fleet-events.ts';

export interface PeakRate {
  /** Timestamps must be in ascending order. */
  readonly add: (events: FleetEvents) => void;
  readonly read: (client: number) => number;
}

const BUCKET_MS = 5_000;
/** Number of buckets in a window. */
const WINDOW = 12;
const LAST_BUCKET = 0x7fff_ffff;

/** Size of the record of a client, and positions in it, in units of 4 bytes. */
const RECORD = 16;
const NEWEST_BUCKET = 0;
const IN_WINDOW = 1;
const PEAK = 2;
/** One bit for each of the twelve buckets that is not 0. A client that waits between requests has one or two of them. */
const FILLED = 3;
const BUCKETS = 4;

export function createPeakRate(maxClients: number): PeakRate {
  const int32 = new Int32Array(maxClients * RECORD);

  /** Empties the buckets that are no longer in the window. */
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
        const client = clients[row] ?? UNTRACKED;
        if (client === UNTRACKED) {
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

/** @returns the bits of `count` buckets, starting at `bucket`. @param count less than {@link WINDOW} */
function bitsOf(bucket: number, count: number): number {
  const bits = ((1 << count) - 1) << (bucket % WINDOW);
  return bits | (bits >> WINDOW);
}

/** Clamps times before 1970 and after 2310, which do not occur in a log. */
function bucketOf(time: number): number {
  return Math.min(LAST_BUCKET, Math.max(0, Math.floor(time / BUCKET_MS)));
}
