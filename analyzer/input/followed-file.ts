/**
 * A growing file as a source that does not end: at the end of the file, it waits for more. When the file is rotated,
 * the old file is read to its end, then the new one from its start. A file that was truncated or rewritten in place is
 * read from its start.
 */
import { Buffer } from 'node:buffer';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { NEWLINE } from '../parsing/bytes.ts';
import type { ByteSource } from './byte-source.ts';

export interface FollowOptions {
  /** Ends the log when it aborts. */
  readonly signal: AbortSignal;
  /** Waits before the file is checked for more data. */
  readonly wait?: (signal: AbortSignal) => Promise<unknown>;
  /** Called when reading starts again at the beginning of a file. The reason continues the sentence "the log …". */
  readonly onNewStart?: (reason: string) => void;
}

const CHECK_INTERVAL_MS = 250;

const ROTATED = 'was replaced by another file';
const REWRITTEN = 'was truncated or rewritten in place';

/**
 * This many bytes before the current position are read again, to check that they have not changed. In a log they contain
 * timestamps, so another file hardly ever has the same bytes at the same position. Neither the size nor the modification time
 * would do: a file that was truncated and has grown past the position looks like a file that has only grown.
 */
const MARK_BYTES = 1024;

/** @throws Node's Error if the file does not exist yet */
export async function followFile(
  path: string,
  { signal, wait = waitAWhile, onNewStart = () => undefined }: FollowOptions,
): Promise<ByteSource> {
  let file: FileHandle = await open(path);
  let position = 0;
  let taken = 0;
  /** The bytes before `position`. */
  let mark = Buffer.alloc(0);

  /** @returns number of bytes read; undefined if the bytes before `position` have changed */
  async function readOn(into: Uint8Array): Promise<number | undefined> {
    // One call reads both, so that the new bytes belong to the same file as the compared ones.
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

  /** @returns 1 if it wrote a newline to `into`, otherwise 0 */
  function startOver(into: Uint8Array, reason: string): number {
    // If the old file's last line has no newline, one is inserted before the new file's first line.
    const isInLine = mark.length > 0 && mark.at(-1) !== NEWLINE;
    position = 0;
    mark = Buffer.alloc(0);
    onNewStart(reason);
    into[0] = NEWLINE;
    return isInLine ? 1 : 0;
  }

  /** @returns number of bytes in `into`; undefined if there is no new data yet */
  async function next(into: Uint8Array): Promise<number | undefined> {
    const count = await readOn(into);
    if (count === undefined) {
      return startOver(into, REWRITTEN);
    }
    if (count > 0) {
      return moveOn(into.subarray(0, count));
    }
    if (await isAnother()) {
      await file.close();
      file = await open(path);
      return startOver(into, ROTATED);
    }
    return undefined;
  }

  return {
    isCompressed: false,
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
    readError: () => undefined,
    close: () => file.close(),
  };
}

/** A writer without O_APPEND continues at its old position after the file was truncated, which leaves zeros before it. */
function isHole(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function waitAWhile(signal: AbortSignal): Promise<unknown> {
  return sleep(CHECK_INTERVAL_MS, undefined, { signal });
}
