import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../contract/configuration.ts';
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../contract/endpoint.ts';
import { PROBLEMS } from '../contract/problems.ts';
import * as times from '../contract/times.ts';
import { readSwitch } from '../lambda/kill-switch.ts';
import { codeBlocks } from './support/documentation.ts';
import { freshTable } from './support/table.ts';

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

describe("the README's way to pause", () => {
  it('puts the switch as the function reads it, and the way to go on takes it away', async () => {
    const table = await freshTable();
    const [, item = ''] = /put-item .*--item '(.+?)'/.exec(readme) ?? [];
    const [, key = ''] = /delete-item .*--key '(.+?)'/.exec(readme) ?? [];

    await table.client.send(new PutItemCommand({ TableName: table.name, Item: JSON.parse(item) }));
    expect(await readSwitch(table)).toMatchObject({
      paused: true,
      message: { en: 'Back at noon.', ja: '正午に再開します。' },
    });
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: JSON.parse(key) }));
    expect(await readSwitch(table)).toEqual({ paused: false });
  });
});
