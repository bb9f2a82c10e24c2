/**
 * Bytes of a log, one read after the other: a file, a stream, and either of them unpacked if what comes is gzip. No more is
 * held than was asked for.
 */
import { Buffer } from 'node:buffer';
import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { gunzip, isGzip } from './gunzip.ts';
import { InputError } from './input-error.ts';
import { reasonOf } from './system-error.ts';

export interface ByteSource {
  /** @returns how many bytes were put at the beginning of `into`; 0 at the end */
  readonly read: (into: Uint8Array) => Promise<number> | number;
  /** Of a file that has all its bytes already, and that another thread could read as well. */
  readonly fd?: number;
  /** Bytes of the file that were taken so far: of the packed ones, where it is packed. */
  readonly taken: () => number;
  /** Of the file; undefined for a stream. */
  readonly size?: number;
  readonly isPacked: boolean;
  /** What ended it before its end; undefined if nothing did. */
  readonly trouble: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** As many bytes as tell gzip. */
const HEAD_BYTES = 2;

/** @throws InputError if there is no such file, or none that can be read */
export async function openFile(path: string): Promise<ByteSource> {
  const file = await open(path).catch((error: unknown) => {
    throw new InputError(`${path}: ${reasonOf(error, REASONS)}`, { cause: error });
  });
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) {
      throw new InputError(`${path} is a folder. Its files are read with --input '${path}/*'`);
    }
    if (!stats.isFile()) {
      return await fromStream(file.createReadStream());
    }
    const head = Buffer.alloc(HEAD_BYTES);
    await file.read(head, 0, head.length, 0);
    return isGzip(head)
      ? unpackedFile(file, stats.size)
      : { ...readFrom(file.fd), size: stats.size, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** @param stream of bytes or text, read to its end or until it is closed here */
export async function fromStream(stream: Readable): Promise<ByteSource> {
  const bytes = bytesOf(stream);
  let head = Buffer.alloc(0);
  let isDone = false;
  // A pipe may bring its bytes one by one.
  while (head.length < HEAD_BYTES && !isDone) {
    const { value, done } = await bytes.next();
    head = done ? head : Buffer.concat([head, value]);
    isDone = done === true;
  }
  const whole = rejoin(head, bytes);
  const close = () => stream.destroy();
  return isGzip(head) ? unpacked(whole, close) : readable(whole, () => 0, close);
}

/** Text is what somebody else's `setEncoding` makes of bytes, and what `Readable.from` is often given. */
async function* bytesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
}

async function* rejoin(head: Buffer, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/** Reads a file from its start; whoever opened it closes it. */
export function readFrom(fd: number): ByteSource {
  let position = 0;
  return {
    fd,
    isPacked: false,
    read(into) {
      // A regular file is there at once: to wait for it in another thread takes longer than to copy it.
      const count = readSync(fd, into, 0, into.length, position);
      position += count;
      return count;
    },
    taken: () => position,
    trouble: () => undefined,
    close: () => Promise.resolve(),
  };
}

function unpackedFile(file: FileHandle, size: number): ByteSource {
  const stream = file.createReadStream();
  return { ...unpacked(stream[Symbol.asyncIterator](), () => stream.destroy()), size };
}

function unpacked(packed: AsyncIterator<Uint8Array>, close: () => unknown): ByteSource {
  let taken = 0;
  const counted: AsyncIterator<Uint8Array> = {
    async next() {
      const result = await packed.next();
      taken += result.done === true ? 0 : result.value.length;
      return result;
    },
  };
  return { ...readable(gunzip(counted), () => taken, close), isPacked: true };
}

/** Of chunks, each of which has been copied before the next is asked for. What they throw is the source's trouble. */
export function readable(chunks: AsyncIterator<Uint8Array>, taken: () => number, close: () => unknown): ByteSource {
  let chunk: Uint8Array = new Uint8Array(0);
  let trouble: string | undefined;

  /** @returns undefined at the end, and where the stream breaks off */
  async function nextChunk(): Promise<Uint8Array | undefined> {
    try {
      const { value, done } = await chunks.next();
      return done ? undefined : value;
    } catch (error) {
      trouble = reasonOf(error, REASONS);
      return undefined;
    }
  }

  return {
    isPacked: false,
    async read(into) {
      while (chunk.length === 0) {
        const next = trouble === undefined ? await nextChunk() : undefined;
        if (next === undefined) {
          return 0;
        }
        chunk = next;
      }
      const part = chunk.subarray(0, into.length);
      into.set(part);
      chunk = chunk.subarray(part.length);
      return part.length;
    },
    taken,
    trouble: () => trouble,
    close() {
      close();
      // May wait for bytes that no longer come.
      void chunks.return?.().catch(() => undefined);
      return Promise.resolve();
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the file may not be read',
};
