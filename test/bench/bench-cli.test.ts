import { spawn } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { describe, expect, it, vi } from 'vitest';
import { readArguments } from '../../bench/harness/arguments.ts';
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
  it('with --help names every part and tells what it writes', async () => {
    const { code, out, errors } = await run('--help');

    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(out).toContain('one or several of: decision, key, cold-start, memory, client, analyzer');
    expect(out).toContain('they write its table anew');
  });

  it.each([
    [['decisions'], 'There is no part decisions. These are: decision, key,'],
    [['decision', 'keys'], 'There is no part keys.'],
    // What every object has is no part.
    [['toString'], 'There is no part toString.'],
    [['--jsn'], "Unknown option '--jsn'"],
    [['--json=yes'], "'--json' does not take an argument"],
  ])('with %j ends with 2 and a sentence', async (args, sentence) => {
    const { code, out, errors } = await run(...args);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toContain(sentence);
    expect(errors).toContain('More: npm run bench -- --help');
  });
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
