/** Writes the report to a file, which must not be one of the logs, or to standard output. */
import { stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../analyze.ts';
import { InputError } from '../input/input-error.ts';
import { codeOf, reasonOf } from '../input/system-error.ts';
import { identityOf } from './input-paths.ts';

/** Runs first, so that a long analysis does not end with a report that cannot be written. */
export async function requireFolder(output: string | undefined): Promise<void> {
  if (output !== undefined) {
    const [folder, file] = await Promise.all(
      [dirname(output), output].map((path) => stat(path).catch(() => undefined)),
    );
    if (output === '' || !folder?.isDirectory() || file?.isDirectory()) {
      throw new InputError(`--output ${output || "''"} is invalid. Expected a file in an existing folder.`);
    }
  }
}

/** Runs before the logs are read, so that the report does not overwrite one of them. */
export async function requireOtherFile(output: string | undefined, logs: readonly Log[]): Promise<void> {
  const written = output === undefined ? undefined : await stat(output).catch(() => undefined);
  // A terminal or a pipe cannot be overwritten.
  if (output === undefined || !written?.isFile()) {
    return;
  }
  const identity = await identityOf(output);
  for (const log of logs) {
    if ((await identityOfLog(log)) === identity) {
      throw new InputError(
        `--output ${output} is also an input (${typeof log === 'string' ? log : log.name}), and the report would overwrite it. Name another file.`,
      );
    }
  }
}

async function identityOfLog(log: Log): Promise<string | undefined> {
  if (typeof log === 'string') {
    return await identityOf(log);
  }
  const { stream } = log;
  return 'fd' in stream && typeof stream.fd === 'number' ? await identityOf(stream.fd) : undefined;
}

/** Writes to standard output if `output` is undefined. */
export async function write(parts: Iterable<string>, output: string | undefined, stdout: Writable): Promise<void> {
  if (output !== undefined) {
    await writeFile(output, parts).catch((error: unknown) => {
      throw new InputError(`--output ${output} could not be written: ${reasonOf(error, REASONS)}.`, {
        cause: error,
      });
    });
    return;
  }
  await pipeline(Readable.from(parts), stdout, { end: false }).catch((error: unknown) => {
    if (!isClosedPipe(error)) {
      throw error;
    }
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
};

/** The reader of the output has closed it, as `| head` does. */
export function isClosedPipe(error: unknown): boolean {
  return codeOf(error) === 'EPIPE';
}
