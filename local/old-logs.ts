/** The log of a stack stays after it, to be read. So that they do not pile up, a start removes all but the newest ones. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const LOG = /^(issuer-.+)\.log$/;

/** Of stacks that ran in `folder`; the log of one that runs still, which its `.environment.json` tells, is left alone. */
export async function removeOldLogs(folder: string, keep: number): Promise<void> {
  const names = new Set(await readdir(folder).catch(() => []));
  const ended = [...names].filter((name) => {
    const [, table] = LOG.exec(name) ?? [];
    return table !== undefined && !names.has(`${table}.environment.json`);
  });
  // Another stack may be starting, and removing the same.
  const logs = await Promise.all(
    ended.map(async (name) => ({
      name,
      writtenAt: await stat(join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
  const old = logs.toSorted((a, b) => b.writtenAt - a.writtenAt).slice(keep);
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })));
}
