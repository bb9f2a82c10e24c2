/**
 * Streams that stall: a limit on the time to the first chunk and on the silence between chunks. A total limit fits
 * neither: a long answer that keeps coming is well, and a short one that has stopped is not.
 */

import { type Clock, systemClock } from './clock.ts';
import { withTimeLimit } from './time-limit.ts';

/** What can be read: a body of `fetch` (null where there is none), a stream of the openai package, a generator. */
export type StreamSource<T> = ReadableStream<T> | AsyncIterable<T> | null;

export interface StreamTimeoutOptions {
  /**
   * From the start of the request to the first chunk, in milliseconds.
   * @default 20_000
   */
  readonly firstChunkMs?: number;
  /**
   * From asking for a chunk to having it, in milliseconds. Time that the reader takes does not count.
   * @default 20_000
   */
  readonly idleMs?: number;
  /** Ends the stream at once, at any time until it is done. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/**
 * Opens a stream and waits for its first chunk. So a `retry` around it repeats a stream that never starts, and never
 * one of which something has been read. Read it to its end, or leave it with `break` or `return()`: both close it.
 * @param open is given a signal that aborts when the stream is to end; pass it on
 * @throws a DOMException named TimeoutError; the signal's reason; whatever the stream throws. So does reading it
 */
export async function startStream<T>(
  open: (signal: AbortSignal) => StreamSource<T> | Promise<StreamSource<T>>,
  options: StreamTimeoutOptions = {},
): Promise<AsyncIterableIterator<T, undefined>> {
  const { firstChunkMs = 20_000, idleMs = 20_000, signal, clock = systemClock } = options;
  const controller = new AbortController();
  let reader: ChunkReader<T> | undefined;
  let done = false;

  const onAbort = () => close(signal?.reason);
  function close(reason?: unknown) {
    signal?.removeEventListener('abort', onAbort);
    controller.abort(reason);
    reader?.cancel();
  }

  async function read(limitMs: number, next: () => Promise<Chunk<T>>): Promise<Chunk<T>> {
    try {
      const chunk = await withTimeLimit(next, { limitMs, signal: controller.signal, clock });
      if (chunk.done) {
        done = true;
        close();
      }
      return chunk;
    } catch (error) {
      close(error);
      throw error;
    }
  }

  signal?.throwIfAborted();
  signal?.addEventListener('abort', onAbort, { once: true });
  let first: Chunk<T> | undefined = await read(firstChunkMs, async () => {
    const source = await open(controller.signal);
    if (source === null) {
      return END;
    }
    reader = readerOf(source);
    if (controller.signal.aborted) {
      // It opened after all, when nobody was waiting any more.
      reader.cancel();
    }
    return reader.next();
  });

  // Not a generator: `return()` on one that has not begun runs none of its code, and the connection would stay open.
  const chunks: AsyncIterableIterator<T, undefined> = {
    async next() {
      const chunk = first;
      first = undefined;
      if (chunk !== undefined) {
        return chunk;
      }
      return done || reader === undefined ? END : await read(idleMs, reader.next);
    },
    return() {
      done = true;
      first = undefined;
      close();
      return Promise.resolve(END);
    },
    [Symbol.asyncIterator]: () => chunks,
  };
  return chunks;
}

type Chunk<T> = IteratorResult<T, undefined>;
const END = { done: true, value: undefined } as const;

interface ChunkReader<T> {
  readonly next: () => Promise<Chunk<T>>;
  /** Is not waited for: a source that hangs would not answer this either. */
  readonly cancel: () => void;
}

function readerOf<T>(source: ReadableStream<T> | AsyncIterable<T>): ChunkReader<T> {
  // Before the iterator: Safari's streams have none.
  const from = 'getReader' in source ? source.getReader() : source[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await ('releaseLock' in from ? from.read() : from.next());
      return done ? END : { done: false, value };
    },
    cancel: () => ('releaseLock' in from ? from.cancel() : from.return?.())?.catch(() => undefined),
  };
}
