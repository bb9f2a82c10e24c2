/**
 * A file that grows, as a source without an end: it waits for more where others end. A file that takes its name (rotation) is
 * read from its start once the old one has no more; so is one that was cut short, or written anew, in place.
 */
import { Buffer } from 'node:buffer';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { NEWLINE } from '../parsing/bytes.ts';
import type { ByteSource } from './byte-source.ts';

export interface FollowOptions {
  /** Ends the log. */
  readonly signal: AbortSignal;
  /** Until it is looked whether there is more. */
  readonly wait?: (signal: AbortSignal) => Promise<unknown>;
  /** Told why reading goes on at a file's start; continues the sentence "the log …". */
  readonly onNewStart?: (reason: string) => void;
}

const LOOKED_EVERY_MS = 250;

const ANOTHER = 'is another file now';
const WRITTEN_ANEW = 'was cut short or written anew in place';

/**
 * So many bytes before the place where reading goes on are read once more, to see that they still are what they were. In a log
 * they hold times, and nothing else has them at the same place: neither a size nor a time of change tells a file that was
 * cut short and has grown beyond that place from one that has only grown.
 */
const MARK_BYTES = 1024;

/** @throws Error of Node's if there is no such file yet */
export async function followFile(
  path: string,
  { signal, wait = waitAWhile, onNewStart = () => undefined }: FollowOptions,
): Promise<ByteSource> {
  let file: FileHandle = await open(path);
  let position = 0;
  let taken = 0;
  /** The bytes before `position`. */
  let mark = Buffer.alloc(0);

  /** @returns how many bytes follow; undefined where what was read before is no longer there */
  async function readOn(into: Uint8Array): Promise<number | undefined> {
    // With one call, so that what follows is of the same file as what is compared.
    const before = Buffer.alloc(mark.length);
    const { bytesRead } = await file.readv([before, into], position - mark.length);
    if (bytesRead < mark.length || !(before.equals(mark) || isHole(before))) {
      return undefined;
    }
    mark = before;
    return bytesRead - mark.length;
  }

  function moveOn(bytes: Uint8Array): number {
    position += bytes.length;
    taken += bytes.length;
    mark = Buffer.concat([mark, bytes.subarray(-MARK_BYTES)]).subarray(-MARK_BYTES);
    return bytes.length;
  }

  async function isAnother(): Promise<boolean> {
    const [named, opened] = [await stat(path).catch(() => undefined), await file.stat()];
    return named !== undefined && (named.ino !== opened.ino || named.dev !== opened.dev);
  }

  /** @returns how many bytes are to stand between the two files */
  function beginAnew(into: Uint8Array, reason: string): number {
    // A last line that never got an end must not run into the new file's first.
    const isInLine = mark.length > 0 && mark.at(-1) !== NEWLINE;
    position = 0;
    mark = Buffer.alloc(0);
    onNewStart(reason);
    into[0] = NEWLINE;
    return isInLine ? 1 : 0;
  }

  /** @returns how many bytes are in `into`; undefined where there is nothing new yet */
  async function next(into: Uint8Array): Promise<number | undefined> {
    const count = await readOn(into);
    if (count === undefined) {
      return beginAnew(into, WRITTEN_ANEW);
    }
    if (count > 0) {
      return moveOn(into.subarray(0, count));
    }
    if (await isAnother()) {
      await file.close();
      file = await open(path);
      return beginAnew(into, ANOTHER);
    }
    return undefined;
  }

  return {
    isPacked: false,
    async read(into) {
      while (!signal.aborted) {
        const count = await next(into);
        if (count === undefined) {
          await wait(signal).catch(() => undefined);
        } else if (count > 0) {
          return count;
        }
      }
      return 0;
    },
    taken: () => taken,
    trouble: () => undefined,
    close: () => file.close(),
  };
}

/** A writer that does not append goes on at its old place when its file was cut short, and zeros are before that. */
function isHole(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function waitAWhile(signal: AbortSignal): Promise<unknown> {
  return sleep(LOOKED_EVERY_MS, undefined, { signal });
}
