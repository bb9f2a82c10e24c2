/** The log of a stack is kept after it stops. So that logs do not accumulate, each start removes all but the newest. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const LOG = /^(issuer-.+)\.log$/;

/** Removes old logs from `folder`. The log of a running stack, which has an `.environment.json`, is kept. */
export async function removeOldLogs(folder: string, keep: number): Promise<void> {
  const names = new Set(await readdir(folder).catch(() => []));
  const ended = [...names].filter((name) => {
    const [, table] = LOG.exec(name) ?? [];
    return table !== undefined && !names.has(`${table}.environment.json`);
  });
  // A file may be gone: another stack that starts at the same time removes the same logs.
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
