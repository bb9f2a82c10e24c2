/**
 * Per client, the most requests in a minute that slides in steps of 5 seconds: a window is 12 buckets, so it is
 * never longer than a minute, and a peak across two windows may be told as a few requests less.
 */

export interface PeakRate {
  /** Times come in ascending order. */
  readonly add: (client: number, time: number) => void;
  readonly read: (client: number) => number;
}

const BUCKET_MS = 5_000;
const BUCKETS = 12;
const FULL = 0xffff;

export function createPeakRate(maxClients: number): PeakRate {
  const buckets = new Uint16Array(maxClients * BUCKETS);
  const newest = new Uint32Array(maxClients);
  const sums = new Uint32Array(maxClients);
  const peaks = new Uint32Array(maxClients);

  /** Empties the buckets that the window has left. */
  function moveOn(client: number, bucket: number): void {
    const before = newest[client] ?? 0;
    let sum = sums[client] ?? 0;
    for (let passed = Math.max(before + 1, bucket - BUCKETS + 1); passed <= bucket; passed += 1) {
      const place = client * BUCKETS + (passed % BUCKETS);
      sum -= buckets[place] ?? 0;
      buckets[place] = 0;
    }
    sums[client] = sum;
    newest[client] = bucket;
  }

  return {
    add(client, time) {
      // Before 1970 or after 2,600 it is no time of a log.
      const bucket = Math.min(0xffff_ffff, Math.max(0, Math.floor(time / BUCKET_MS)));
      if (bucket > (newest[client] ?? 0)) {
        moveOn(client, bucket);
      }
      const place = client * BUCKETS + (bucket % BUCKETS);
      const inBucket = buckets[place] ?? 0;
      if (inBucket < FULL) {
        buckets[place] = inBucket + 1;
        const sum = (sums[client] ?? 0) + 1;
        sums[client] = sum;
        peaks[client] = Math.max(peaks[client] ?? 0, sum);
      }
    },
    read: (client) => peaks[client] ?? 0,
  };
}
