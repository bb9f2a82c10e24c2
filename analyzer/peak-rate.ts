/**
 * Per client, the most requests in a minute that slides in steps of 5 seconds: a window is 12 buckets, so it is
 * never longer than a minute, and a peak across two windows may be told as a few requests less.
 */
import { type ClientRecords, PEAK_BUCKETS, RECORD, UINT16, UINT32 } from './client-records.ts';
import { type FleetEvents, NOBODY } from './fleet-events.ts';

export interface PeakRate {
  /** Times come in ascending order. */
  readonly add: (events: FleetEvents) => void;
  readonly read: (client: number) => number;
}

const BUCKET_MS = 5_000;
const LAST_BUCKET = 0xffff_ffff;
const FULL = 0xffff;

export function createPeakRate({ uint16, uint32 }: ClientRecords): PeakRate {
  /** Empties the buckets that the window has left. */
  function moveOn(client: number, bucket: number): void {
    const place = client * RECORD.uint32;
    const newest = uint32[place + UINT32.newestBucket] ?? 0;
    const buckets = client * RECORD.uint16 + UINT16.buckets;
    uint32[place + UINT32.newestBucket] = bucket;
    if (bucket - newest >= PEAK_BUCKETS) {
      uint16.fill(0, buckets, buckets + PEAK_BUCKETS);
      uint32[place + UINT32.inWindow] = 0;
      return;
    }
    let inWindow = uint32[place + UINT32.inWindow] ?? 0;
    for (let passed = newest + 1; passed <= bucket; passed += 1) {
      const old = buckets + (passed % PEAK_BUCKETS);
      inWindow -= uint16[old] ?? 0;
      uint16[old] = 0;
    }
    uint32[place + UINT32.inWindow] = inWindow;
  }

  function addTo(client: number, bucket: number): void {
    const place = client * RECORD.uint32;
    if (bucket > (uint32[place + UINT32.newestBucket] ?? 0)) {
      moveOn(client, bucket);
    }
    const own = client * RECORD.uint16 + UINT16.buckets + (bucket % PEAK_BUCKETS);
    const inBucket = uint16[own] ?? 0;
    if (inBucket < FULL) {
      uint16[own] = inBucket + 1;
      const inWindow = (uint32[place + UINT32.inWindow] ?? 0) + 1;
      uint32[place + UINT32.inWindow] = inWindow;
      uint32[place + UINT32.peak] = Math.max(uint32[place + UINT32.peak] ?? 0, inWindow);
    }
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
    read: (client) => uint32[client * RECORD.uint32 + UINT32.peak] ?? 0,
  };
}

/** What is before 1970 or after 2600 is no time of a log. */
function bucketOf(time: number): number {
  return Math.min(LAST_BUCKET, Math.max(0, Math.floor(time / BUCKET_MS)));
}
