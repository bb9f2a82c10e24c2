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
const LAST_BUCKET = 0xffff_ffff;

/** A record for each client, in units of 4 bytes. */
const RECORD = 16;
const NEWEST_BUCKET = 0;
const IN_WINDOW = 1;
const PEAK = 2;
const BUCKETS = 3;

export function createPeakRate(maxClients: number): PeakRate {
  const uint32 = new Uint32Array(maxClients * RECORD);

  /** Empties the buckets that the window has left. */
  function moveOn(place: number, bucket: number): void {
    const newest = uint32[place + NEWEST_BUCKET] ?? 0;
    const buckets = place + BUCKETS;
    uint32[place + NEWEST_BUCKET] = bucket;
    if (bucket - newest >= WINDOW) {
      uint32.fill(0, buckets, buckets + WINDOW);
      uint32[place + IN_WINDOW] = 0;
      return;
    }
    let inWindow = uint32[place + IN_WINDOW] ?? 0;
    for (let passed = newest + 1; passed <= bucket; passed += 1) {
      const old = buckets + (passed % WINDOW);
      inWindow -= uint32[old] ?? 0;
      uint32[old] = 0;
    }
    uint32[place + IN_WINDOW] = inWindow;
  }

  function addTo(client: number, bucket: number): void {
    const place = client * RECORD;
    if (bucket > (uint32[place + NEWEST_BUCKET] ?? 0)) {
      moveOn(place, bucket);
    }
    const own = place + BUCKETS + (bucket % WINDOW);
    uint32[own] = (uint32[own] ?? 0) + 1;
    const inWindow = (uint32[place + IN_WINDOW] ?? 0) + 1;
    uint32[place + IN_WINDOW] = inWindow;
    uint32[place + PEAK] = Math.max(uint32[place + PEAK] ?? 0, inWindow);
  }

  return {
    add({ length, timestamps, clients }) {
      for (let row = 0; row < length; row += 1) {
        const client = clients[row] ?? NOBODY;
        if (client !== NOBODY) {
          addTo(client, bucketOf(timestamps[row] ?? 0));
        }
      }
    },
    read: (client) => uint32[client * RECORD + PEAK] ?? 0,
  };
}

/** What is before 1970 or after 2600 is no time of a log. */
function bucketOf(time: number): number {
  return Math.min(LAST_BUCKET, Math.max(0, Math.floor(time / BUCKET_MS)));
}
