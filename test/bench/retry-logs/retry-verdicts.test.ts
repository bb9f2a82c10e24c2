import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { confusion, type Row, renderConfusion } from '../../../bench/retry-logs/retry-verdicts.ts';

const ROWS = confusion(250);
const enough = (least: number) => (row: Row) => row.intervals >= least;
const rowsOf = (behaviour: Row['behaviour']) => ROWS.filter((row) => row.behaviour === behaviour);

/** The share of clients that are classified as without jitter. */
function withoutJitter({ called, clients }: Row): number {
  return (called.fixed + called.growing_without_jitter + called.several_fixed) / clients;
}

describe('with 1,000 clients for each behaviour and number of intervals', () => {
  it.each(['fixed', 'exponential'] as const)('%s: 99 of 100 are detected with 5 intervals or more', (behaviour) => {
    const shares = rowsOf(behaviour).filter(enough(5)).map(withoutJitter);
    expect(shares.length).toBeGreaterThan(5);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.99);
  });

  it('full: at most 1 of 100 is classified as without jitter with 5 intervals or more', () => {
    expect(Math.max(...rowsOf('full').filter(enough(5)).map(withoutJitter))).toBeLessThanOrEqual(0.01);
  });

  it('weak: 9 of 10 are classified as weak with 10 intervals or more', () => {
    const shares = rowsOf('weak')
      .filter(enough(10))
      .map(({ called, clients }) => called.weak_jitter / clients);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.9);
  });

  it('two fixed: 95 of 100 are classified as without jitter with 8 intervals, and as several clients with 15', () => {
    expect(Math.min(...rowsOf('two fixed').filter(enough(8)).map(withoutJitter))).toBeGreaterThanOrEqual(0.95);
    const distinguished = rowsOf('two fixed')
      .filter(enough(15))
      .map(({ called, clients }) => called.several_fixed / clients);
    expect(Math.min(...distinguished)).toBeGreaterThanOrEqual(0.95);
  });

  it('linear: 9 of 10 are detected with 10 intervals, and at most 1 of 100 is classified as equal or full jitter', () => {
    expect(Math.min(...rowsOf('linear').filter(enough(10)).map(withoutJitter))).toBeGreaterThanOrEqual(0.9);
    const missed = rowsOf('linear').map(({ called, clients }) => (called.equal_jitter + called.full_jitter) / clients);
    expect(Math.max(...missed)).toBeLessThanOrEqual(0.01);
  });

  it('fixed and full: half of them are unclear, because their waits repeat, with 20 intervals', () => {
    const unclear = rowsOf('fixed and full')
      .filter(enough(20))
      .map(({ called, clients }) => called.unclear / clients);
    expect(Math.min(...unclear)).toBeGreaterThanOrEqual(0.5);
  });

  it('no client is classified as growing with fewer than 5 intervals', () => {
    expect(ROWS.filter(({ intervals, called }) => intervals < 5 && called.growing_without_jitter > 0)).toEqual([]);
  });

  it('prints the table that the documentation shows', () => {
    expect(readFileSync('docs/analyzer.md', 'utf8')).toContain(renderConfusion(ROWS));
  });
});
