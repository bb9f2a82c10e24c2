import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcomeOf } from '../../support/outcome.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulate-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** With no Java but the folder's: what is tested here is the command, and dynalite starts at once. */
function start(...args: string[]) {
  const command = join(import.meta.dirname, '../../../bench/simulate.ts');
  return spawn(execPath, [command, ...args], { env: { ...env, PATH: folder } });
}

async function run(...args: string[]) {
  return await outcomeOf(start(...args));
}

describe('npm run simulate', () => {
  it('without Java says what it runs on; stopped, it ends with 1 and has written nothing', async () => {
    const picture = join(folder, 'incident.svg');
    const child = start('--out', picture);
    const [sentence] = await once(child.stderr, 'data');
    child.kill();
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);

    expect(String(sentence)).toContain('Java 17 or later was not found, so this runs on dynalite');
    expect({ code, errors }).toEqual({ code: 1, errors: 'The incident could not be replayed: it was stopped.\n' });
    expect(existsSync(picture)).toBe(false);
  });

  it('ends with 1 and the reason where the database does not start', async () => {
    const java = join(folder, 'java');
    await writeFile(java, `#!/bin/sh\necho 'openjdk version "17.0.1"' >&2\n`, { mode: 0o755 });
    const { code, out, errors } = await run('--hours', '1');
    await rm(java);

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toContain('The incident could not be replayed: DynamoDB Local stopped before it answered');
  });

  it('with --help says what it writes before it writes it', async () => {
    const { code, out } = await run('--help');

    expect(code).toBe(0);
    expect(out).toContain('writes docs/incident.svg, docs/incident.json and the table in\ndocs/why.md');
    expect(out).toContain('Exit code: 0 replayed, 1 failed or stopped, 2 invalid arguments.');
  });

  it.each([
    [['--hours', '0'], 'For example: --hours 4'],
    [['--hours', '13'], 'For example: --hours 4'],
    [['--hours', '1.5'], 'For example: --hours 4'],
    [['--out', ''], 'For example: --out incident.svg'],
    [['--out', 'no-such-folder/incident.svg'], 'For example: --out incident.svg'],
    [['--out'], "'--out <value>' argument missing"],
    [['4'], "Unexpected argument '4'"],
  ])('with %j ends with 2 and a sentence', async (args, sentence) => {
    const { code, out, errors } = await run(...args);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toContain(sentence);
    expect(errors).toContain('More: npm run simulate -- --help');
  });
});
