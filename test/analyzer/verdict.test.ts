import { describe, expect, it } from 'vitest';
import { createFleet } from '../../analyzer/fleet.ts';
import { batch, type Row } from './batches.ts';

/** Of one client that reports its waits, in milliseconds. */
function verdictOn(waits: readonly number[]): string | undefined {
  const fleet = createFleet({ maxClients: 1, threshold: 5, latenessMs: 0 });
  fleet.add(batch(waits.map((wait, index): Row => [index, 'a', 'retry', wait])));
  return [...fleet.report().analyzed_clients][0]?.verdict;
}

describe('a verdict', () => {
  it.each<[string, readonly number[], string]>([
    ['a factor where waits grow by one', [500, 1000, 2000, 4000, 8000], 'Its waits grow by 2 without jitter'],
    ['an addend', [1000, 3000, 5000, 7000, 9000, 11_000], 'Its waits grow by 2,000 ms each without jitter'],
  ])('names %s', (_, waits, words) => {
    expect(verdictOn(waits)).toContain(words);
  });
});
