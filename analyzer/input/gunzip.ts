/**
 * Unpacks gzip (RFC 1952) and hands over all that was unpacked before it says what is wrong. Node's own gunzip does not: with
 * its error, it drops what the same call has unpacked, so that a small log with a line of text behind it would be lost whole.
 */
import { Buffer } from 'node:buffer';
import { crc32, createInflateRaw } from 'node:zlib';

/** As little as one byte may unpack to a thousand: what one slice brings stays below 17 MB. */
const SLICE_BYTES = 1 << 14;
const UNPACKED_AT_ONCE = 1 << 18;

const MAGIC = [0x1f, 0x8b];
const DEFLATE = 8;
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
/** A file's name and a comment, each up to a zero. */
const TEXTS = [8, 16];

const CUT_OFF = 'the gzip data ends before its end: the file is cut off';
const DAMAGED = 'the gzip data is damaged';
const NO_GZIP_BEHIND = 'what stands behind the gzip data is no gzip, and is left out';

export function isGzip(head: Uint8Array): boolean {
  return MAGIC.every((byte, index) => head[index] === byte);
}

/** @throws Error whose message says what is wrong, once everything before was handed over */
export async function* gunzip(packed: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = createInput(packed);
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

function createInput(packed: AsyncIterator<Uint8Array>) {
  let bytes: Uint8Array = new Uint8Array(0);

  /** @returns a byte at least; nothing at the end */
  async function slice(most = SLICE_BYTES): Promise<Uint8Array> {
    while (bytes.length === 0) {
      const { value, done } = await packed.next();
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
    /** @param rest of the slice that was given last */
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
      // It says nothing of the data.
    }
  }
  if ((flags & HAS_CHECKSUM) !== 0) {
    await input.take(2);
  }
}

/** What one member of the file holds. */
async function* inflate(input: Input): AsyncGenerator<Uint8Array> {
  const raw = createInflateRaw({ chunkSize: UNPACKED_AT_ONCE });
  let unpacked: Uint8Array[] = [];
  let isDone = false;
  let hasFailed = false;
  let settle: (() => void) | undefined;
  raw.on('data', (bytes: Uint8Array) => unpacked.push(bytes));
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
      yield* unpacked;
      unpacked = [];
      if (hasFailed) {
        throw new Error(DAMAGED);
      }
      input.giveBack(slice.subarray(raw.bytesWritten - before));
    }
  } finally {
    raw.destroy();
  }
}

/** Zeros may fill up the file, and another member may follow. */
async function hasMore(input: Input): Promise<boolean> {
  for (let slice = await input.slice(); slice.length > 0; slice = await input.slice()) {
    const start = slice.findIndex((byte) => byte !== 0);
    if (start >= 0) {
      input.giveBack(slice.subarray(start));
      if (slice[start] !== MAGIC[0]) {
        throw new Error(NO_GZIP_BEHIND);
      }
      return true;
    }
  }
  return false;
}
