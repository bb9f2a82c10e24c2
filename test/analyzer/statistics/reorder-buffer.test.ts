import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FleetEvents } from '../../../analyzer/statistics/fleet-events.ts';
import { createReorder } from '../../../analyzer/statistics/reorder-buffer.ts';
import { seededRandom } from '../../support/random.ts';

const LATENESS = 50;
/** More events than the buffer holds, so that it is emptied several times. */
const MANY = 150_000;
const A_CHUNK = 5_000;

function collect(latenessMs: number) {
  const taken: number[] = [];
  const refused: number[] = [];
  const reorder = createReorder(latenessMs, ({ timestamps, length }) => taken.push(...timestamps.subarray(0, length)));
  const add = (...times: number[]) => reorder.add(eventsAt(times), (row) => refused.push(times[row] ?? 0));
  return { taken, refused, reorder, add };
}

/** Each event gets the next client number. */
function eventsAt(times: readonly number[]): FleetEvents {
  return {
    length: times.length,
    timestamps: Float64Array.from(times),
    clients: Int32Array.from(times, (_, row) => row),
    types: new Uint8Array(times.length),
    codes: new Uint16Array(times.length),
  };
}

describe('events out of order', () => {
  it('are put in order if they are not later than allowed, however many there are', () => {
    const random = seededRandom(1);
    const { taken, refused, reorder, add } = collect(LATENESS);
    const times = Array.from({ length: MANY }, (_, index) => index - Math.floor(random() * LATENESS));
    for (let from = 0; from < MANY; from += A_CHUNK) {
      add(...times.slice(from, from + A_CHUNK));
    }
    reorder.flush();
    expect(refused).toEqual([]);
    expect(taken).toEqual(times.toSorted((one, other) => one - other));
  });

  it('stay in order if more events lie within the lateness than the buffer holds', () => {
    const { taken, reorder, add } = collect(Number.MAX_SAFE_INTEGER);
    const times = Array.from({ length: MANY }, (_, index) => index);
    for (let from = 0; from < MANY; from += A_CHUNK) {
      add(...times.slice(from, from + A_CHUNK));
    }
    reorder.flush();
    expect(taken).toEqual(times);
    expect(reorder.wasCutShort()).toBe(false);
  });

  it.each([
    ['a later event was already passed on', 999],
    ['they have no timestamp', Number.NaN],
    ['their timestamp is Infinity', Number.POSITIVE_INFINITY],
    ['their timestamp is -Infinity', Number.NEGATIVE_INFINITY],
  ])('are refused if %s', (_, time) => {
    const { taken, refused, reorder, add } = collect(LATENESS);
    add(1_000);
    reorder.flush();
    add(time);
    expect(refused).toEqual([time]);
    expect(taken).toEqual([1_000]);
  });

  it('are kept until no earlier event can arrive, or until the last report', () => {
    const { taken, reorder, add } = collect(LATENESS);
    add(100, 200, 180);
    reorder.settle();
    expect(taken).toEqual([100]);
    add(160);
    reorder.flush();
    expect(taken).toEqual([100, 160, 180, 200]);
  });

  it('with equal timestamps keep their order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 40 }), (times) => {
        const taken: [number, number][] = [];
        const reorder = createReorder(10, ({ timestamps, clients, length }) => {
          for (let row = 0; row < length; row += 1) {
            taken.push([timestamps[row] ?? 0, clients[row] ?? 0]);
          }
        });
        reorder.add(eventsAt(times), () => expect.unreachable());
        reorder.flush();
        expect(taken).toEqual(
          times.map((time, index) => [time, index]).sort(([a = 0, i = 0], [b = 0, j = 0]) => a - b || i - j),
        );
      }),
    );
  });

  it('are passed on early if the buffer is full, and wasCutShort returns true', () => {
    const { reorder, add } = collect(Number.MAX_SAFE_INTEGER);
    for (let index = 0; index < MANY; index += 2) {
      add(index + 2, index + 1);
    }
    expect(reorder.wasCutShort()).toBe(true);
  });
});
