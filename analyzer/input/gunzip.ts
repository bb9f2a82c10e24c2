/**
 * Decompresses gzip (RFC 1952), and yields all decompressed data before it throws an error. Node's own gunzip drops the data
 * that the failing call has decompressed: a small log followed by a line of text would be lost completely.
 */
import { Buffer } from 'node:buffer';
import { crc32, createInflateRaw } from 'node:zlib';

/** One byte may decompress to a thousand, so one slice decompresses to less than 17 MB. */
const SLICE_BYTES = 1 << 14;
const OUTPUT_CHUNK_BYTES = 1 << 18;

const MAGIC = [0x1f, 0x8b];
const DEFLATE = 8;
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
/** Flags of the file name and the comment, each a text that ends with a zero byte. */
const TEXTS = [8, 16];

const CUT_OFF = 'the gzip data is incomplete: the file is truncated';
const DAMAGED = 'the gzip data is damaged';
const TRAILING_DATA = 'the data after the gzip data is not gzip, and was skipped';

export function isGzip(head: Uint8Array): boolean {
  return MAGIC.every((byte, index) => head[index] === byte);
}

/** @throws Error with a message for the user, after all data before the error was yielded */
export async function* gunzip(compressed: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = createInput(compressed);
  do {
    await readHeader(input);
    let checksum = 0;
    let size = 0;
    for await (const bytes of inflate(input)) {
      checksum = crc32(bytes, checksum);
      size += bytes.length;
      yield bytes;
    }
    const trailer = await input.take(TRAILER_BYTES);
    if (trailer.readUInt32LE(0) !== checksum || trailer.readUInt32LE(4) !== size % 2 ** 32) {
      throw new Error(DAMAGED);
    }
  } while (await hasMore(input));
}

type Input = ReturnType<typeof createInput>;

function createInput(compressed: AsyncIterator<Uint8Array>) {
  let bytes: Uint8Array = new Uint8Array(0);

  /** @returns at least one byte; an empty array at the end */
  async function slice(most = SLICE_BYTES): Promise<Uint8Array> {
    while (bytes.length === 0) {
      const { value, done } = await compressed.next();
      if (done === true) {
        return bytes;
      }
      bytes = value;
    }
    const part = bytes.subarray(0, most);
    bytes = bytes.subarray(part.length);
    return part;
  }

  async function take(count: number): Promise<Buffer> {
    const taken = Buffer.alloc(count);
    for (let length = 0; length < count; ) {
      const part = await slice(count - length);
      if (part.length === 0) {
        throw new Error(CUT_OFF);
      }
      taken.set(part, length);
      length += part.length;
    }
    return taken;
  }

  return {
    slice,
    take,
    /** @param rest the unused end of the last slice */
    giveBack(rest: Uint8Array) {
      bytes = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    },
  };
}

async function readHeader(input: Input): Promise<void> {
  const header = await input.take(HEADER_BYTES);
  const flags = header[3] ?? 0;
  if (!isGzip(header) || header[2] !== DEFLATE) {
    throw new Error(DAMAGED);
  }
  if ((flags & HAS_EXTRA) !== 0) {
    await input.take((await input.take(2)).readUInt16LE(0));
  }
  for (const text of TEXTS) {
    while ((flags & text) !== 0 && (await input.take(1))[0] !== 0) {
      // Skip the text.
    }
  }
  if ((flags & HAS_CHECKSUM) !== 0) {
    await input.take(2);
  }
}

/** Yields the decompressed data of one gzip member. */
async function* inflate(input: Input): AsyncGenerator<Uint8Array> {
  const raw = createInflateRaw({ chunkSize: OUTPUT_CHUNK_BYTES });
  let output: Uint8Array[] = [];
  let isDone = false;
  let hasFailed = false;
  let settle: (() => void) | undefined;
  raw.on('data', (bytes: Uint8Array) => output.push(bytes));
  raw.on('end', () => {
    isDone = true;
    settle?.();
  });
  raw.on('error', () => {
    hasFailed = true;
    settle?.();
  });
  try {
    while (!isDone) {
      const slice = await input.slice();
      if (slice.length === 0) {
        throw new Error(CUT_OFF);
      }
      const before = raw.bytesWritten;
      await new Promise<void>((resolve) => {
        settle = resolve;
        raw.write(slice, () => resolve());
      });
      yield* output;
      output = [];
      if (hasFailed) {
        throw new Error(DAMAGED);
      }
      input.giveBack(slice.subarray(raw.bytesWritten - before));
    }
  } finally {
    raw.destroy();
  }
}

/** After a member, the file may be padded with zeros, and another member may follow. */
async function hasMore(input: Input): Promise<boolean> {
  for (let slice = await input.slice(); slice.length > 0; slice = await input.slice()) {
    const start = slice.findIndex((byte) => byte !== 0);
    if (start >= 0) {
      input.giveBack(slice.subarray(start));
      if (slice[start] !== MAGIC[0]) {
        throw new Error(TRAILING_DATA);
      }
      return true;
    }
  }
  return false;
}
