import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { SAMPLE } from '../../analyzer/cli/sample-log.ts';
import { FORMAT_NAMES } from '../../analyzer/formats/detect-format.ts';
import { assess, RISK_LEVELS } from '../../analyzer/patterns/core-rule.ts';
import { codeBlocks, importExample, readDocument } from '../support/documentation.ts';

it('the program in docs/analyzer.md prints the clients with CRITICAL risk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'analyzer-'));
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    const log = join(folder, 'connections.ndjson.gz');
    const events = [...Array(4).fill(JSON.parse(SAMPLE)).flat(), 7];
    await writeFile(log, gzipSync(events.map((event) => JSON.stringify(event)).join('\n')));
    const [program = ''] = await codeBlocks('docs/analyzer.md', 'ts');
    await importExample('analyzer', program.replace("'connections.ndjson.gz'", JSON.stringify(log)));
    const [printed, ...rest] = print.mock.calls;
    expect(printed?.[0]).toContain('(threshold 20)');
    expect(rest).toEqual([
      ['192.0.2.10', expect.stringContaining('Retries about every 1,000 ms without jitter')],
      [[expect.objectContaining({ line: 29, complaint: 'is not an object' })]],
    ]);
  } finally {
    print.mockRestore();
    await rm(folder, { recursive: true });
  }
});

const page = await readDocument('docs/analyzer.md');
const firstCells = (heading: string) =>
  Array.from(
    (page.split(`## ${heading}\n`)[1]?.split('\n#')[0] ?? '').matchAll(/^\| ([^|]+?) +\|/gm),
    ([, cell]) => cell,
  );

it('docs/analyzer.md lists every input format', () => {
  expect(firstCells('Input formats')).toEqual(['format', '----------------', ...Object.values(FORMAT_NAMES)]);
});

it('docs/analyzer.md says when each risk level applies', () => {
  const levels = firstCells('Client fields').filter((cell) => RISK_LEVELS.some((level) => level === cell));
  expect(levels).toEqual(RISK_LEVELS.toReversed());
  const even = { count: 2, mean: 1000, deviation: 0 };
  const uneven = { count: 2, mean: 1000, deviation: 50 };
  const levelOf = (totalRequests: number, intervals: typeof even) =>
    assess({ totalRequests, intervals, threshold: 5 }).risk_level;
  expect([levelOf(5, even), levelOf(5, uneven), levelOf(3, even), levelOf(2, even)]).toEqual(levels);
});
