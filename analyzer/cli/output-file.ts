/** Where a report goes: a file that is no log of those that are read, or standard output. */
import { stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../analyze.ts';
import { InputError } from '../input/input-error.ts';
import { codeOf, reasonOf } from '../input/system-error.ts';
import { identityOf } from './input-paths.ts';

/** Checked first, so that no minute is lost on a report that has no place. */
export async function insistOnFolder(output: string | undefined): Promise<void> {
  if (output !== undefined) {
    const [folder, file] = await Promise.all(
      [dirname(output), output].map((path) => stat(path).catch(() => undefined)),
    );
    if (output === '' || !folder?.isDirectory() || file?.isDirectory()) {
      throw new InputError(`--output ${output || "''"}: it must be a file in a folder that exists.`);
    }
  }
}

/** Checked before a log is read, which is lost once the report is written over it. */
export async function insistOnOtherFile(output: string | undefined, logs: readonly Log[]): Promise<void> {
  const written = output === undefined ? undefined : await stat(output).catch(() => undefined);
  // Nothing is lost of a terminal or a pipe.
  if (output === undefined || !written?.isFile()) {
    return;
  }
  const identity = await identityOf(output);
  for (const log of logs) {
    if ((await identityOfLog(log)) === identity) {
      throw new InputError(
        `--output ${output} is a log that is to be read (${typeof log === 'string' ? log : log.name}), and the report would overwrite it. Name another file.`,
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

/** To standard output where no file is named. */
export async function write(parts: Iterable<string>, output: string | undefined, stdout: Writable): Promise<void> {
  if (output !== undefined) {
    await writeFile(output, parts).catch((error: unknown) => {
      throw new InputError(`--output ${output}: it could not be written: ${reasonOf(error, REASONS)}.`, {
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
  EACCES: 'that is not permitted',
  EPERM: 'that is not permitted',
  EROFS: 'nothing can be written there',
  ENOSPC: 'there is no room left',
};

/** Whoever read it has seen enough: `| head`. */
export function isClosedPipe(error: unknown): boolean {
  return codeOf(error) === 'EPIPE';
}
