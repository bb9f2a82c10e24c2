/**
 * Measures the accuracy of the analyzer: compares simulated clients of known behaviour with the patterns that it finds.
 * `npm run confusion` prints the confusion table of docs/analyzer.md.
 */

import { encodeInterval, markCode } from '../../analyzer/patterns/interval-code.ts';
import { KEPT_INTERVALS, readIntervals } from '../../analyzer/patterns/interval-ring.ts';
import { findPattern, PATTERNS, type PatternName } from '../../analyzer/patterns/retry-pattern.ts';
import { seeded } from '../harness/seeded.ts';
import { BEHAVIOURS, type Behaviour, NOISES, type Noise, waitsOf } from './retry-fleets.ts';

const COUNTS = [3, 4, 5, 6, 8, 10, 15, 20, 30, 50] as const;
const SEED = 8;

/** For one behaviour and number of intervals: how many clients were classified as each pattern. */
export interface Row {
  readonly behaviour: Behaviour;
  readonly intervals: number;
  readonly clients: number;
  readonly called: Readonly<Record<PatternName, number>>;
}

/** @param clients number of clients for each behaviour, number of intervals and kind of noise */
export function confusion(clients: number, counts: readonly number[] = COUNTS): Row[] {
  const random = seeded(SEED);
  return BEHAVIOURS.flatMap((behaviour) =>
    counts.map((intervals) => {
      const called = Object.fromEntries(PATTERNS.map((name) => [name, 0])) as Record<PatternName, number>;
      for (const noise of Object.keys(NOISES) as Noise[]) {
        for (let client = 0; client < clients; client += 1) {
          called[verdictOn(behaviour, intervals, noise, random)] += 1;
        }
      }
      return { behaviour, intervals, clients: clients * Object.keys(NOISES).length, called };
    }),
  );
}

function verdictOn(behaviour: Behaviour, count: number, noise: Noise, random: () => number): PatternName {
  const waits = waitsOf(behaviour, count, noise, random);
  const codes = Uint16Array.from(waits.slice(-KEPT_INTERVALS), ({ ms, isAfterConnect }) =>
    markCode(encodeInterval(ms), isAfterConnect),
  );
  return findPattern(readIntervals(codes, 0, codes.length)).name;
}

/** Renders a table of percentages with one decimal. */
export function renderConfusion(rows: readonly Row[]): string {
  // These clients always wait and report their waits, so two patterns cannot occur.
  const names = PATTERNS.filter((name) => name !== 'none' && name !== 'at_once');
  const heading = ['behaviour', 'intervals', ...names.map((name) => name.replaceAll('_', ' '))];
  const cells = rows.map(({ behaviour, intervals, clients, called }) => [
    behaviour,
    String(intervals),
    ...names.map((name) => (called[name] === 0 ? '' : ((100 * called[name]) / clients).toFixed(1))),
  ]);
  const widths = heading.map((text, column) => Math.max(text.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const draw = (row: readonly string[]) =>
    `| ${row.map((text, column) => (column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0))).join(' | ')} |`;
  return [draw(heading), draw(widths.map((width) => '-'.repeat(width))), ...cells.map(draw)].join('\n');
}

if (import.meta.main) {
  console.log(renderConfusion(confusion(250)));
}
