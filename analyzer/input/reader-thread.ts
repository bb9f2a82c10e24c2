/**
 * A thread that reads logs, one after the other, and tells of their events. It reads files by itself: a file's bytes are best
 * parsed by the processor that has just read them. Those of any other source it asks for.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Format } from '../formats/detect-format.ts';
import type { Columns, ParsedChunk } from '../parsing/collector.ts';
import { type ByteSource, readable, readFrom } from './byte-source.ts';
import { InputError } from './input-error.ts';
import { readChunks } from './read-chunks.ts';

/** Memory that the threads share. */
export interface ReaderData {
  /** In turn, the bytes of a source that the main thread reads. */
  readonly buffers: readonly SharedArrayBuffer[];
  /** So many chunks may be parsed and not counted yet: each has its slot. */
  readonly slots: readonly Columns[];
}

export type ToReader =
  | { readonly kind: 'open'; readonly name: string; readonly fd?: number }
  | ({ readonly kind: 'bytes' } & Bytes)
  /** Its columns were counted. */
  | { readonly kind: 'free'; readonly slot: number };

export type FromReader =
  | ({ readonly kind: 'chunk'; readonly slot: number; readonly taken: number } & ChunkOf)
  | { readonly kind: 'more' }
  | { readonly kind: 'end'; readonly format: Format['kind'] }
  /** The log cannot be read: an {@link InputError}'s sentence. */
  | { readonly kind: 'complaint'; readonly complaint: string };

/** Columns are told only where they grew: they are the slot's from then on. */
type ChunkOf = Omit<ParsedChunk, 'columns'> & { readonly columns?: Columns };

export interface Bytes {
  /** Which of the buffers has them. */
  readonly buffer: number;
  /** 0 at the end. */
  readonly length: number;
  /** As {@link ByteSource} has them. */
  readonly taken: number;
  readonly trouble?: string;
}

interface Slot {
  readonly slot: number;
  columns: Columns;
}

/** Handed over by one, and asked for by another, who may be first. */
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
        // What is no InputError ends the thread, and the main thread hears of it.
        void read(message);
        break;
      case 'bytes':
        chunks.push(message);
        break;
      case 'free':
        all.slice(message.slot, message.slot + 1).forEach(free.push);
    }
  });

  function tell(message: FromReader): void {
    port.postMessage(message);
  }

  async function read({ name, fd }: Extract<ToReader, { kind: 'open' }>): Promise<void> {
    const source = fd === undefined ? askedFor() : readFrom(fd);
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
            tell({ kind: 'chunk', slot: slot.slot, taken: source.taken(), ...parsed, ...grown });
            slot = await free.shift();
          },
        },
      );
      tell({ kind: 'end', format });
    } catch (error) {
      if (!(error instanceof InputError)) {
        throw error;
      }
      tell({ kind: 'complaint', complaint: error.message });
    } finally {
      free.push(slot);
    }
  }

  function askedFor(): ByteSource {
    const views = buffers.map((buffer) => new Uint8Array(buffer));
    let taken = 0;

    async function* ask(): AsyncGenerator<Uint8Array> {
      for (;;) {
        tell({ kind: 'more' });
        const { buffer, length, trouble, ...told } = await chunks.shift();
        taken = told.taken;
        const view = views[buffer];
        if (length > 0 && view !== undefined) {
          yield view.subarray(0, length);
        } else if (trouble === undefined) {
          return;
        } else {
          throw new Error(trouble);
        }
      }
    }

    return readable(
      ask(),
      () => taken,
      () => undefined,
    );
  }
}

if (parentPort !== null) {
  listen(parentPort, workerData);
}
