import { describe, expect, it } from 'vitest';
import { createFleet } from '../../../analyzer/fleet.ts';
import { batch, type Row } from '../statistics/batches.ts';

function verdictIn(rows: readonly Row[]): string | undefined {
  const fleet = createFleet({ maxClients: 1, threshold: 5, latenessMs: 0 });
  fleet.add(batch(rows));
  return [...fleet.report().analyzed_clients][0]?.verdict;
}

/** Of one client that reports its waits, in milliseconds. */
function verdictOn(waits: readonly number[]): string | undefined {
  return verdictIn(waits.map((wait, index): Row => [index, 'a', 'retry', wait]));
}

/** Of one whose waits are derived. */
function verdictOnGaps(gaps: readonly number[]): string | undefined {
  const times = [0];
  for (const gap of gaps) {
    times.push((times.at(-1) ?? 0) + gap);
  }
  return verdictIn(times.map((at): Row => [at, 'a', 'retry']));
}

describe('a verdict', () => {
  it.each<[string, readonly number[], string]>([
    ['a factor where waits grow by one', [500, 1000, 2000, 4000, 8000], 'Its waits grow by 2 without jitter'],
    ['an addend', [1000, 3000, 5000, 7000, 9000, 11_000], 'Its waits grow by 2,000 ms each without jitter'],
    ['no wait at all', [0, 0, 0, 0], 'Tries again at once'],
    ['waits of which milliseconds tell nothing', [1, 3, 2, 1, 3, 2, 2, 1, 3, 1, 2, 3], 'Tries again at once'],
    ['equal ones even if they are as short', [10, 10, 10, 10], 'Tries again at once'],
    ['one wait of none, which says nothing', [0], 'One interval does not tell'],
    [
      'waits that repeat, and clears nobody of them',
      [1000, 320, 1000, 1000, 780, 1000, 1310, 1000, 90, 1000, 640, 1000],
      '7 of its 12 intervals are nearly equal',
    ],
  ])('names %s', (_, waits, words) => {
    expect(verdictOn(waits)).toContain(words);
    expect(verdictOn(waits)).not.toContain('nothing to change');
  });

  it('does not take several tries side by side for one that waits for nothing', () => {
    expect(verdictOnGaps([3, 1, 0, 2, 1, 5])).toContain('or several tries are under way side by side');
  });
});
