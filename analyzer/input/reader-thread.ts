/**
 * A thread that reads logs, one after the other, and posts their events to the main thread. It reads files itself,
 * because the processor that has just read the bytes parses them fastest. It requests the bytes of any other source
 * from the main thread.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Format } from '../formats/detect-format.ts';
import type { Columns, ParsedChunk } from '../parsing/collector.ts';
import { type ByteSource, readable, readFrom } from './byte-source.ts';
import { InputError } from './input-error.ts';
import { readChunks } from './read-chunks.ts';

/** Memory that both threads share. */
export interface ReaderData {
  /** Used in turn for the bytes of a source that the main thread reads. */
  readonly buffers: readonly SharedArrayBuffer[];
  /** One slot for each chunk that may be parsed but not counted yet. */
  readonly slots: readonly Columns[];
}

export type ToReader =
  | { readonly kind: 'open'; readonly name: string; readonly fd?: number }
  | ({ readonly kind: 'bytes' } & Bytes)
  /** The slot's columns were counted. */
  | { readonly kind: 'free'; readonly slot: number };

export type FromReader =
  | ({ readonly kind: 'chunk'; readonly slot: number; readonly taken: number } & ChunkOf)
  | { readonly kind: 'more' }
  | { readonly kind: 'end'; readonly format: Format['kind'] }
  /** The log cannot be read: the message of an {@link InputError}. */
  | { readonly kind: 'complaint'; readonly complaint: string };

/** Columns are sent only if they were replaced by larger ones, which then belong to the slot. */
type ChunkOf = Omit<ParsedChunk, 'columns'> & { readonly columns?: Columns };

export interface Bytes {
  /** Index of the buffer that holds the bytes. */
  readonly buffer: number;
  /** 0 at the end. */
  readonly length: number;
  /** As in {@link ByteSource}. */
  readonly taken: number;
  readonly readError?: string;
}

interface Slot {
  readonly slot: number;
  columns: Columns;
}

/** A queue whose `shift` waits for an item if there is none yet. */
function createQueue<Item>() {
  const items: Item[] = [];
  let wake: (() => void) | undefined;
  return {
    push(item: Item) {
      items.push(item);
      wake?.();
    },
    async shift(): Promise<Item> {
      for (;;) {
        const [item] = items.splice(0, 1);
        if (item !== undefined) {
          return item;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function listen(port: MessagePort, { buffers, slots }: ReaderData): void {
  const chunks = createQueue<Bytes>();
  const free = createQueue<Slot>();
  const all: readonly Slot[] = slots.map((columns, slot) => ({ slot, columns }));
  all.forEach(free.push);
  port.on('message', (message: ToReader) => {
    switch (message.kind) {
      case 'open':
        // Any error other than an InputError ends the thread, and the main thread gets an error event.
        void read(message);
        break;
      case 'bytes':
        chunks.push(message);
        break;
      case 'free':
        all.slice(message.slot, message.slot + 1).forEach(free.push);
    }
  });

  function post(message: FromReader): void {
    port.postMessage(message);
  }

  async function read({ name, fd }: Extract<ToReader, { kind: 'open' }>): Promise<void> {
    const source = fd === undefined ? sourceInMainThread() : readFrom(fd);
    let slot = await free.shift();
    try {
      const format = await readChunks(
        source,
        { isFollowed: false, name },
        {
          columns: () => slot.columns,
          async take({ columns, ...parsed }) {
            const grown = columns === slot.columns ? {} : { columns };
            slot.columns = columns;
            post({ kind: 'chunk', slot: slot.slot, taken: source.taken(), ...parsed, ...grown });
            slot = await free.shift();
          },
        },
      );
      post({ kind: 'end', format });
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      post({ kind: 'complaint', complaint: error.message });
    } finally {
      free.push(slot);
    }
  }

  function sourceInMainThread(): ByteSource {
    const views = buffers.map((buffer) => new Uint8Array(buffer));
    let taken = 0;

    async function* request(): AsyncGenerator<Uint8Array> {
      for (;;) {
        post({ kind: 'more' });
        const { buffer, length, readError, ...received } = await chunks.shift();
        taken = received.taken;
        const view = views[buffer];
        if (length > 0 && view !== undefined) {
          yield view.subarray(0, length);
        } else if (readError === undefined) {
          return;
        } else {
          throw new Error(readError);
        }
      }
    }

    return readable(
      request(),
      () => taken,
      () => undefined,
    );
  }
}

if (parentPort !== null) {
  listen(parentPort, workerData);
}
