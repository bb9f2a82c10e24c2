import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { confusion, type Row, renderConfusion } from '../../../bench/retry-logs/retry-verdicts.ts';

const ROWS = confusion(250);
const enough = (least: number) => (row: Row) => row.intervals >= least;
const rowsOf = (behaviour: Row['behaviour']) => ROWS.filter((row) => row.behaviour === behaviour);

/** Said to be without jitter, as a share. */
function accused({ called, clients }: Row): number {
  return (called.fixed + called.growing_without_jitter + called.several_fixed) / clients;
}

describe('of 1,000 clients for each behaviour and number of intervals', () => {
  it.each(['fixed', 'exponential'] as const)('%s: 99 of 100 are found with 5 intervals or more', (behaviour) => {
    const shares = rowsOf(behaviour).filter(enough(5)).map(accused);
    expect(shares.length).toBeGreaterThan(5);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.99);
  });

  it('full: at most 1 of 100 is accused with 5 intervals or more', () => {
    expect(Math.max(...rowsOf('full').filter(enough(5)).map(accused))).toBeLessThanOrEqual(0.01);
  });

  it('weak: 9 of 10 are told from none and from more with 10 intervals', () => {
    const shares = rowsOf('weak')
      .filter(enough(10))
      .map(({ called, clients }) => called.weak_jitter / clients);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.9);
  });

  it('two fixed: found behind one address with 8 intervals, told from one client with 15', () => {
    expect(Math.min(...rowsOf('two fixed').filter(enough(8)).map(accused))).toBeGreaterThanOrEqual(0.95);
    const told = rowsOf('two fixed')
      .filter(enough(15))
      .map(({ called, clients }) => called.several_fixed / clients);
    expect(Math.min(...told)).toBeGreaterThanOrEqual(0.95);
  });

  it('linear: 9 of 10 are found with 10 intervals, and next to nobody is said to have much jitter with any number', () => {
    expect(Math.min(...rowsOf('linear').filter(enough(10)).map(accused))).toBeGreaterThanOrEqual(0.9);
    const cleared = rowsOf('linear').map(({ called, clients }) => (called.equal_jitter + called.full_jitter) / clients);
    expect(Math.max(...cleared)).toBeLessThanOrEqual(0.01);
  });

  it('fixed and full: half of them are not said to be random, for their waits repeat, with 20 intervals', () => {
    const unclear = rowsOf('fixed and full')
      .filter(enough(20))
      .map(({ called, clients }) => called.unclear / clients);
    expect(Math.min(...unclear)).toBeGreaterThanOrEqual(0.5);
  });

  it('nobody is accused of growth with fewer than 5', () => {
    expect(ROWS.filter(({ intervals, called }) => intervals < 5 && called.growing_without_jitter > 0)).toEqual([]);
  });

  it('prints the table that the documentation shows', () => {
    expect(readFileSync('docs/analyzer.md', 'utf8')).toContain(renderConfusion(ROWS));
  });
});
