import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../contract/configuration.ts';
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../contract/endpoint.ts';
import { PROBLEMS } from '../contract/problems.ts';
import * as times from '../contract/times.ts';
import { issuer } from './operator/command.ts';
import { codeBlocks } from './support/documentation.ts';

const ROOT = join(import.meta.dirname, '..');
const readme = await readFile(join(ROOT, 'README.md'), 'utf8');

/** The rows of the table below a heading, as cells. */
function tableUnder(heading: string): string[][] {
  const [section = ''] = readme.split(`## ${heading}\n`)[1]?.split('\n## ') ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

describe('the README', () => {
  it('lists every problem code with its status, and whether to repeat', () => {
    const rows = tableUnder('The API').map(([code, status, retryable]) => [code, status, retryable]);
    const problems = Object.entries(PROBLEMS).map(([code, { status, retryable }]) => [
      code,
      String(status),
      retryable ? 'yes' : 'no',
    ]);
    expect(rows).toEqual(problems);
  });

  it('lists every variable with its default', () => {
    const rows = tableUnder('Configuration').map(([name, value]) => [name, value === 'none' ? '' : value]);
    const variables = Object.entries(VARIABLES).map(([name, variable]) => [
      name,
      'default' in variable ? variable.default : '',
    ]);
    expect(rows).toEqual(variables);
  });

  it('lists every time', () => {
    const values: Readonly<Record<string, number | undefined>> = { ...times };
    const rows = tableUnder('Times that nest').map(([names = '', time]) => ({ names: names.split(', '), time }));
    const written = rows.map(({ names }) => {
      const [ms = 0, attempts] = names.map((name) => values[name]);
      return { names, time: `${ms / 1_000} s${attempts === undefined ? '' : ` x ${attempts}`}` };
    });
    expect(rows).toEqual(written);
    expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(Object.keys(values).toSorted());
  });

  it("shows a curl line that is the client's request", async () => {
    const curl = (await codeBlocks('README.md', 'sh')).find((block) => block.startsWith('curl'));
    expect(curl).toBe(
      `curl -i -X POST -H '${BODY_HASH_HEADER}: ${EMPTY_BODY_SHA256}' http://127.0.0.1:8787${SESSION_PATH}\n`,
    );
  });

  it.each([
    'README.md',
    'ARCHITECTURE.md',
    'docs/limiter.md',
    'docs/resilience.md',
    'docs/scale.md',
    'docs/runbook.md',
    'docs/errors.md',
  ])('%s links to what is there', async (file) => {
    const text = await readFile(join(ROOT, file), 'utf8');
    const links = [...text.matchAll(/\]\((?<link>[^)#]+)[^)]*\)|src="(?<image>[^"]+)"/g)].map(
      ({ groups }) => groups?.['link'] ?? groups?.['image'] ?? '',
    );
    for (const link of links.filter((each) => !each.startsWith('http'))) {
      await expect(readFile(join(ROOT, file, '..', link)), link).resolves.toBeDefined();
    }
  });
});

describe("the README's commands", () => {
  const commands = tableUnder('Operations').flatMap(([cell = '']) => cell.split(', '));

  it.each(commands)('%s is one', async (command) => {
    const [name = ''] = command.split(' ');
    const { code, out } = await issuer([name, '--help']);

    expect(code).toBe(0);
    for (const [option] of command.matchAll(/--[a-z-]+/g)) {
      expect(out).toContain(option);
    }
  });

  it('are all that there are', async () => {
    const { out } = await issuer(['--help']);
    const names = [...out.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name]) => name);
    expect([...new Set(commands.map((command) => command.split(' ')[0]))].sort()).toEqual(names.sort());
  });
});
