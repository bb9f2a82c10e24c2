import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { describe, expect, it, vi } from 'vitest';
import { readArguments } from '../../bench/harness/arguments.ts';
import { insertBetween } from '../../bench/harness/markdown.ts';
import { outcomeOf } from '../support/outcome.ts';

const PARTS = ['decision', 'key', 'client'];

const ROOT = join(import.meta.dirname, '../..');

function start(...args: string[]) {
  return spawn(execPath, [join(ROOT, 'bench/bench.ts'), ...args]);
}

/** With arguments with which it measures nothing. */
async function run(...args: string[]) {
  return await outcomeOf(start(...args));
}

describe('npm run bench', () => {
  it('with --help names every part and says what it writes', async () => {
    const { code, out, errors } = await run('--help');

    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(out).toContain('one or more of: decision, key, cold-start, memory, client, analyzer');
    expect(out).toContain('writes the table in docs/benchmarks.md');
  });

  it.each([
    [['decisions'], 'Unknown part "decisions". Expected one of: decision, key,'],
    [['decision', 'keys'], 'Unknown part "keys".'],
    // A property that every object has is not a part.
    [['toString'], 'Unknown part "toString".'],
    [['--jsn'], "Unknown option '--jsn'"],
    [['--json=yes'], "'--json' does not take an argument"],
  ])('with %j ends with 2 and a sentence', async (args, sentence) => {
    const { code, out, errors } = await run(...args);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toContain(sentence);
    expect(errors).toContain('More: npm run bench -- --help');
  });
});

it('docs/benchmarks.md has the place that the table is written to, and a section for each part', async () => {
  const document = await readFile(join(ROOT, 'docs/benchmarks.md'), 'utf8');
  const [before = '', ...after] = insertBetween(document, 'bench', 'TABLE').split('TABLE');
  const written = document.slice(before.length, document.length - (after[0]?.length ?? 0));
  const { out } = await run('--help');
  const parts = /one or more of: (.*)/.exec(out)?.[1]?.split(', ');
  expect(written.match(/^\| \*\*.*?\*\*/gm)).toHaveLength(parts?.length ?? 0);
  expect(written).toMatch(/^\d{4}-\d\d-\d\d, .* Node \d/);
});

describe('npm run bench, when it is stopped,', () => {
  const logs = () => readdir(join(ROOT, '.local')).then((names) => names.filter((name) => name.startsWith('bench-')));

  it('removes its large files, says so, and ends with 1', async () => {
    await mkdir(join(ROOT, '.local'), { recursive: true });
    const before = await logs();
    const child = start('analyzer');
    const ended = outcomeOf(child);
    await vi.waitUntil(async () => (await logs()).length > before.length, { timeout: 20_000 });
    child.kill();
    const { code, out, errors } = await ended;

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toBe('analyzer …\nIt could not be measured: it was stopped.\n');
    expect(await logs()).toEqual(before);
  });
});

describe('what is measured', () => {
  it.each([
    { args: [], parts: PARTS, json: false },
    { args: ['--json'], parts: PARTS, json: true },
    { args: ['key'], parts: ['key'], json: false },
    { args: ['client', '--json', 'decision'], parts: ['client', 'decision'], json: true },
    { args: ['key', 'key'], parts: ['key'], json: false },
  ])('with $args: $parts', ({ args, parts, json }) => {
    expect(readArguments(args, PARTS)).toEqual({ parts, json });
  });

  it.each([['--help'], ['-h'], ['key', '--help']])('with %s %s: nothing', (...args) => {
    expect(readArguments(args, PARTS)).toBe('help');
  });
});
