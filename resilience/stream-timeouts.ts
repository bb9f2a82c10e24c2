/**
 * Timeouts for streams: one for the first chunk, and one for the time between chunks. A total timeout does not fit streams: a long
 * response that keeps sending is healthy, and a short response that has stopped is not.
 */

import { type Clock, systemClock } from './clock.ts';
import { withTimeLimit } from './time-limit.ts';

/** A stream: the body of a `fetch` response (null if there is none), a stream of the openai package, or a generator. */
export type StreamSource<T> = ReadableStream<T> | AsyncIterable<T> | null;

export interface StreamTimeoutOptions {
  /**
   * Timeout from the start of the request to the first chunk, in milliseconds.
   * @default 20_000
   */
  readonly firstChunkMs?: number;
  /**
   * Timeout for each later chunk, in milliseconds. The time that your code spends between two chunks does not count.
   * @default 20_000
   */
  readonly idleMs?: number;
  /** Ends the stream immediately. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/**
 * Opens a stream and waits for its first chunk. A `retry` around it therefore retries a stream that never starts, but never a stream
 * from which a chunk was read. Read the stream to its end, or leave it with `break` or `return()`, which close it.
 * @param open opens the stream. Its argument is a signal that aborts when the stream has to end; pass it to the request
 * @throws a DOMException named TimeoutError, the signal's reason, or what the stream throws. Reading the result throws the same
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
      // The stream opened after the timeout or the abort.
      reader.cancel();
    }
    return reader.next();
  });

  // Not a generator: `return()` on a generator that has not started runs none of its code, so the connection would stay open.
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
  /** Its result is not awaited, because a source that hangs may never finish cancelling. */
  readonly cancel: () => void;
}

function readerOf<T>(source: ReadableStream<T> | AsyncIterable<T>): ChunkReader<T> {
  // Use the reader if there is one, because Safari's streams have no async iterator.
  const from = 'getReader' in source ? source.getReader() : source[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await ('releaseLock' in from ? from.read() : from.next());
      return done ? END : { done: false, value };
    },
    cancel: () => ('releaseLock' in from ? from.cancel() : from.return?.())?.catch(() => undefined),
  };
}
