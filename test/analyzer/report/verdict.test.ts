import { describe, expect, it } from 'vitest';
import { createFleet } from '../../../analyzer/fleet.ts';
import { batch, type Row } from '../statistics/batches.ts';

function verdictIn(rows: readonly Row[]): string | undefined {
  const fleet = createFleet({ maxClients: 1, threshold: 5, latenessMs: 0 });
  fleet.add(batch(rows));
  return [...fleet.report().analyzed_clients][0]?.verdict;
}

/** The verdict on a client whose waits the log reports. @param waits milliseconds */
function verdictOn(waits: readonly number[]): string | undefined {
  return verdictIn(waits.map((wait, index): Row => [index, 'a', 'retry', wait]));
}

/** The verdict on a client whose waits are derived. @param gaps milliseconds */
function verdictOnGaps(gaps: readonly number[]): string | undefined {
  const times = [0];
  for (const gap of gaps) {
    times.push((times.at(-1) ?? 0) + gap);
  }
  return verdictIn(times.map((at): Row => [at, 'a', 'retry']));
}

describe('a verdict', () => {
  it.each<[string, readonly number[], string]>([
    ['the growth factor', [500, 1000, 2000, 4000, 8000], 'Its waits grow by a factor of 2 without jitter'],
    ['the addend', [1000, 3000, 5000, 7000, 9000, 11_000], 'Its waits grow by 2,000 ms each time without jitter'],
    ['immediate retries', [0, 0, 0, 0], 'Retries immediately'],
    ['waits too short for milliseconds', [1, 3, 2, 1, 3, 2, 2, 1, 3, 1, 2, 3], 'Retries immediately'],
    ['equal waits that are as short', [10, 10, 10, 10], 'Retries immediately'],
    [
      'three waits as a list',
      [700, 1000, 700, 2500, 700, 1000, 1000, 700, 2500, 700, 1000, 700],
      'Its waits are 700 ms, 1,000 ms and 2,500 ms, without jitter',
    ],
    ['a single interval as too few', [0], 'One interval is too few to show a pattern'],
    [
      'repeated waits, which it does not approve',
      [1000, 320, 1000, 1000, 780, 1000, 1310, 1000, 90, 1000, 640, 1000],
      '7 of its 12 intervals are nearly equal',
    ],
  ])('mentions %s', (_, waits, words) => {
    expect(verdictOn(waits)).toContain(words);
    expect(verdictOn(waits)).not.toContain('nothing to change');
  });

  it('does not mistake parallel attempts for immediate retries', () => {
    expect(verdictOnGaps([3, 1, 0, 2, 1, 5])).toContain('or it makes several attempts in parallel');
  });
});
