/**
 * The bytes of a log, read from a file or a stream, and decompressed if they are gzip. Buffers no more than one chunk of
 * the stream.
 */
import { Buffer } from 'node:buffer';
import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { gunzip, isGzip } from './gunzip.ts';
import { InputError } from './input-error.ts';
import { reasonOf } from './system-error.ts';

export interface ByteSource {
  /** @returns number of bytes written to the start of `into`; 0 at the end */
  readonly read: (into: Uint8Array) => Promise<number> | number;
  /** Descriptor of a complete, uncompressed file, which another thread could read directly. */
  readonly fd?: number;
  /** Bytes read so far; compressed bytes if the log is compressed. */
  readonly taken: () => number;
  /** Size of the file in bytes; undefined for a stream. */
  readonly size?: number;
  readonly isCompressed: boolean;
  /** The error that ended reading early; undefined if there was none. */
  readonly readError: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** Number of bytes that identify gzip. */
const HEAD_BYTES = 2;

/** @throws InputError if the file does not exist or cannot be read */
export async function openFile(path: string): Promise<ByteSource> {
  const file = await open(path).catch((error: unknown) => {
    throw new InputError(`${path}: ${reasonOf(error, REASONS)}`, { cause: error });
  });
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) {
      throw new InputError(
        `${path} is a folder, but a file was expected. To read the files in it: --input '${path}/*'`,
      );
    }
    if (!stats.isFile()) {
      return await fromStream(file.createReadStream());
    }
    const head = Buffer.alloc(HEAD_BYTES);
    await file.read(head, 0, head.length, 0);
    return isGzip(head)
      ? decompressedFile(file, stats.size)
      : { ...readFrom(file.fd), size: stats.size, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** @param stream of bytes or text; it is read until it ends or this source is closed */
export async function fromStream(stream: Readable): Promise<ByteSource> {
  const bytes = bytesOf(stream);
  let head = Buffer.alloc(0);
  let isDone = false;
  // A pipe may deliver one byte at a time.
  while (head.length < HEAD_BYTES && !isDone) {
    const { value, done } = await bytes.next();
    head = done ? head : Buffer.concat([head, value]);
    isDone = done === true;
  }
  const whole = rejoin(head, bytes);
  const close = () => stream.destroy();
  return isGzip(head) ? decompressed(whole, close) : readable(whole, () => 0, close);
}

/** A stream may deliver text: after `setEncoding`, or if it was made by `Readable.from` with strings. */
async function* bytesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
}

async function* rejoin(head: Buffer, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/** Reads a file from its start. The caller closes the file. */
export function readFrom(fd: number): ByteSource {
  let position = 0;
  return {
    fd,
    isCompressed: false,
    read(into) {
      // Synchronous, because a regular file is available at once: waiting for a pool thread takes longer than the copy.
      const count = readSync(fd, into, 0, into.length, position);
      position += count;
      return count;
    },
    taken: () => position,
    readError: () => undefined,
    close: () => Promise.resolve(),
  };
}

function decompressedFile(file: FileHandle, size: number): ByteSource {
  const stream = file.createReadStream();
  return { ...decompressed(stream[Symbol.asyncIterator](), () => stream.destroy()), size };
}

function decompressed(compressed: AsyncIterator<Uint8Array>, close: () => unknown): ByteSource {
  let taken = 0;
  const counted: AsyncIterator<Uint8Array> = {
    async next() {
      const result = await compressed.next();
      taken += result.done === true ? 0 : result.value.length;
      return result;
    },
  };
  return { ...readable(gunzip(counted), () => taken, close), isCompressed: true };
}

/** @param chunks Each chunk is copied before the next is requested. An error that they throw becomes the `readError`. */
export function readable(chunks: AsyncIterator<Uint8Array>, taken: () => number, close: () => unknown): ByteSource {
  let chunk: Uint8Array = new Uint8Array(0);
  let readError: string | undefined;

  /** @returns undefined at the end, and after an error */
  async function nextChunk(): Promise<Uint8Array | undefined> {
    try {
      const { value, done } = await chunks.next();
      return done ? undefined : value;
    } catch (error) {
      readError = reasonOf(error, REASONS);
      return undefined;
    }
  }

  return {
    isCompressed: false,
    async read(into) {
      while (chunk.length === 0) {
        const next = readError === undefined ? await nextChunk() : undefined;
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
    readError: () => readError,
    close() {
      close();
      // Not awaited, because it may wait for bytes that never arrive.
      void chunks.return?.().catch(() => undefined);
      return Promise.resolve();
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
};
