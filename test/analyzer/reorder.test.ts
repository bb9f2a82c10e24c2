import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReorder } from '../../analyzer/reorder.ts';
import { seededRandom } from '../support/random.ts';

const LATENESS = 50;
/** More than the buffer holds, so that it empties itself a few times. */
const MANY = 150_000;

function collect(latenessMs: number) {
  const taken: number[] = [];
  return { taken, reorder: createReorder(latenessMs, (time) => taken.push(time)) };
}

describe('events out of order', () => {
  it('come out in order if they are not later than allowed, however many there are', () => {
    const random = seededRandom(1);
    const { taken, reorder } = collect(LATENESS);
    const times = Array.from({ length: MANY }, (_, index) => index - Math.floor(random() * LATENESS));
    expect(times.filter((time) => !reorder.push(time, 0, 0, 0))).toEqual([]);
    reorder.flush();
    expect(taken).toEqual(times.toSorted((one, other) => one - other));
  });

  it('are refused where something later was passed on', () => {
    const { taken, reorder } = collect(LATENESS);
    reorder.push(1_000, 0, 0, 0);
    reorder.flush();
    expect(reorder.push(999, 0, 0, 0)).toBe(false);
    expect(taken).toEqual([1_000]);
  });

  it('stay where they may still be overtaken, until the last report', () => {
    const { taken, reorder } = collect(LATENESS);
    for (const time of [100, 200, 180]) {
      reorder.push(time, 0, 0, 0);
    }
    reorder.settle();
    expect(taken).toEqual([100]);
    reorder.push(160, 0, 0, 0);
    reorder.flush();
    expect(taken).toEqual([100, 160, 180, 200]);
  });

  it('of one moment keep the order in which they came', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 40 }), (times) => {
        const taken: [number, number][] = [];
        const reorder = createReorder(10, (time, client) => taken.push([time, client]));
        times.forEach((time, index) => {
          reorder.push(time, index, 0, 0);
        });
        reorder.settle();
        reorder.flush();
        expect(taken).toEqual(
          times.map((time, index) => [time, index]).sort(([a = 0, i = 0], [b = 0, j = 0]) => a - b || i - j),
        );
      }),
    );
  });

  it('that are too many for the buffer are let go, which it says', () => {
    const { reorder } = collect(Number.MAX_SAFE_INTEGER);
    for (let index = 0; index < MANY; index += 1) {
      reorder.push(index % 2 === 0 ? index + 2 : index, 0, 0, 0);
    }
    expect(reorder.wasCutShort()).toBe(true);
  });
});
