import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPeakRate } from '../../../analyzer/statistics/peak-rate.ts';

const CLIENTS = 3;
const BUCKET_MS = 5_000;
const WINDOW = 12;

const events = fc.array(
  fc.record({
    client: fc.integer({ min: -1, max: CLIENTS - 1 }),
    // From 0 to more than the window, including exactly one window, where the twelve buckets wrap around.
    gapMs: fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 150_000 }), fc.constant(60_000)),
  }),
  { maxLength: 200 },
);

it('the peak equals a separate count of each window, however the events are batched', () => {
  fc.assert(
    fc.property(
      events,
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(0, 1_764_504_000_000),
      (list, atOnce, epoch) => {
        let time = epoch;
        const timed = list.map(({ client, gapMs }) => {
          time += gapMs;
          return { client, time };
        });
        const peaks = createPeakRate(CLIENTS);
        for (let from = 0; from < timed.length; from += atOnce) {
          const part = timed.slice(from, from + atOnce);
          peaks.add({
            length: part.length,
            timestamps: Float64Array.from(part, (event) => event.time),
            clients: Int32Array.from(part, (event) => event.client),
            types: new Uint8Array(part.length),
            codes: new Uint16Array(part.length),
          });
        }
        for (let client = 0; client < CLIENTS; client += 1) {
          const buckets = timed
            .filter((event) => event.client === client)
            .map((event) => Math.floor(event.time / BUCKET_MS));
          const inWindows = buckets.map((last) => buckets.filter((it) => it <= last && it > last - WINDOW).length);
          expect(peaks.read(client)).toBe(Math.max(0, ...inWindows));
        }
      },
    ),
  );
});
