/**
 * A file that grows, as a source without an end: it waits for more where others end. A file that takes its name (rotation) is
 * read from its start once the old one has no more; so is one that was cut short in place.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteSource } from './byte-source.ts';
import { NEWLINE } from './bytes.ts';

export interface FollowOptions {
  /** Ends the log. */
  readonly signal: AbortSignal;
  /** Until it is looked whether there is more. */
  readonly wait?: (signal: AbortSignal) => Promise<unknown>;
}

const LOOKED_EVERY_MS = 250;

/** @throws Error of Node's if there is no such file yet */
export async function followFile(path: string, { signal, wait = waitAWhile }: FollowOptions): Promise<ByteSource> {
  let file: FileHandle = await open(path);
  let position = 0;
  let taken = 0;
  let lastByte = NEWLINE;

  /** @returns whether reading goes on at a file's start */
  async function beginsAnew(): Promise<boolean> {
    const [named, opened] = [await stat(path).catch(() => undefined), await file.stat()];
    if (named !== undefined && (named.ino !== opened.ino || named.dev !== opened.dev)) {
      await file.close();
      file = await open(path);
    } else if (opened.size >= position) {
      return false;
    }
    position = 0;
    return true;
  }

  return {
    isPacked: false,
    async read(into) {
      while (!signal.aborted) {
        const { bytesRead } = await file.read(into, 0, into.length, position);
        if (bytesRead > 0) {
          position += bytesRead;
          taken += bytesRead;
          lastByte = into[bytesRead - 1] ?? NEWLINE;
          return bytesRead;
        }
        const isNew = await beginsAnew();
        if (isNew && lastByte !== NEWLINE) {
          // Its last line never got an end, and must not run into the new file's first.
          lastByte = NEWLINE;
          into[0] = NEWLINE;
          return 1;
        }
        if (!isNew) {
          await wait(signal).catch(() => undefined);
        }
      }
      return 0;
    },
    taken: () => taken,
    trouble: () => undefined,
    close: () => file.close(),
  };
}

function waitAWhile(signal: AbortSignal): Promise<unknown> {
  return sleep(LOOKED_EVERY_MS, undefined, { signal });
}
