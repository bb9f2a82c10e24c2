import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeOldLogs } from '../../local/old-logs.ts';

it('a start keeps the newest logs of stopped stacks, and all other files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logs-'));
  const minutes = { 'issuer-a.log': 1, 'issuer-b.log': 4, 'issuer-c.log': 3, 'issuer-d.log': 2 };
  for (const [name, minute] of Object.entries(minutes)) {
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), minute * 60, minute * 60);
  }
  const running = ['issuer-a.environment.json', '8787.json'];
  await Promise.all([...running, 'notes.log'].map((name) => writeFile(join(folder, name), '')));

  await removeOldLogs(folder, 2);
  const left = await readdir(folder).finally(() => rm(folder, { recursive: true }));
  expect(left.toSorted()).toEqual(['issuer-a.log', 'issuer-b.log', 'issuer-c.log', 'notes.log', ...running].toSorted());
});

it('if no stack ever ran, there is nothing to remove', async () => {
  await expect(removeOldLogs(join(tmpdir(), 'no-such-folder'), 2)).resolves.toBeUndefined();
});
