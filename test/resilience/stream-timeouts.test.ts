import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { okOrThrow, startStream } from '../../resilience/index.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const LIMITS = { firstChunkMs: 8_000, idleMs: 3_000 };

/** A source to which a test adds chunks. */
function source() {
  let feed: ReadableStreamDefaultController<string> | undefined;
  let cancelled = false;
  const stream = new ReadableStream<string>({
    start: (controller) => {
      feed = controller;
    },
    cancel: () => {
      cancelled = true;
    },
  });
  return {
    stream,
    push: (chunk: string) => feed?.enqueue(chunk),
    end: () => feed?.close(),
    cancelled: () => cancelled,
  };
}

async function collect<T>(chunks: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const chunk of chunks) {
    all.push(chunk);
  }
  return all;
}

function nameOf(error: unknown) {
  return error instanceof Error ? error.name : error;
}

function opened(clock: FakeClock, feed = source(), signal?: AbortSignal) {
  feed.push('first');
  return startStream(() => feed.stream, { ...LIMITS, clock, signal });
}

describe('the first chunk', () => {
  it('has a timeout that starts with the request', async () => {
    const clock = createFakeClock();
    let signal: AbortSignal | undefined;
    const work = startStream(
      (given) => {
        signal = given;
        return new Promise<null>(() => undefined);
      },
      { ...LIMITS, clock },
    );
    const outcome = await clock.run(work).catch(nameOf);
    expect([outcome, clock.fired, signal?.aborted]).toEqual(['TimeoutError', [8_000], true]);
  });

  it('that does not come cancels a source that has opened', async () => {
    const clock = createFakeClock();
    const feed = source();
    expect(await clock.run(startStream(() => feed.stream, { ...LIMITS, clock })).catch(nameOf)).toBe('TimeoutError');
    expect(feed.cancelled()).toBe(true);
  });

  it('that does not come cancels a source that opens after the timeout', async () => {
    const clock = createFakeClock();
    const feed = source();
    let open: ((stream: ReadableStream<string>) => void) | undefined;
    const late = new Promise<ReadableStream<string>>((resolve) => {
      open = resolve;
    });
    expect(await clock.run(startStream(() => late, { ...LIMITS, clock })).catch(nameOf)).toBe('TimeoutError');
    open?.(feed.stream);
    await setImmediate();
    expect(feed.cancelled()).toBe(true);
  });

  it('is not lost', async () => {
    const clock = createFakeClock();
    const feed = source();
    const work = opened(clock, feed);
    feed.push('second');
    feed.end();
    expect(await collect(await work)).toEqual(['first', 'second']);
    expect(clock.running()).toBe(0);
  });

  it('is optional: a response without a body is a stream that has ended', async () => {
    expect(await collect(await startStream(() => null))).toEqual([]);
  });
});

describe('the idle timeout', () => {
  it('ends a stream without further chunks', async () => {
    const clock = createFakeClock();
    const feed = source();
    const chunks = await opened(clock, feed);
    await chunks.next();
    expect(await clock.run(chunks.next()).catch(nameOf)).toBe('TimeoutError');
    expect([clock.fired, feed.cancelled()]).toEqual([[3_000], true]);
  });

  it('starts again with each chunk, so it does not end a long stream', async () => {
    const clock = createFakeClock();
    const feed = source();
    const chunks = await opened(clock, feed);
    const seen = [(await chunks.next()).value];
    for (let chunk = 0; chunk < 20; chunk += 1) {
      const next = chunks.next();
      await clock.advance(2_999);
      feed.push(String(chunk));
      seen.push((await next).value);
    }
    expect([seen.length, clock.now(), clock.fired]).toEqual([21, 20 * 2_999, []]);
  });

  it('does not include the time that the reader takes', async () => {
    const clock = createFakeClock();
    const feed = source();
    const chunks = await opened(clock, feed);
    await chunks.next();
    await clock.advance(60_000);
    feed.push('second');
    expect(await chunks.next()).toEqual({ done: false, value: 'second' });
  });
});

describe('an end', () => {
  it('a signal that has aborted opens nothing', async () => {
    const work = startStream(() => expect.unreachable('It opened'), { signal: AbortSignal.abort('left') });
    await expect(work).rejects.toBe('left');
  });

  it('an abort ends a read immediately and leaves no timer and no listener', async () => {
    const clock = createFakeClock();
    const feed = source();
    const controller = new AbortController();
    const chunks = await opened(clock, feed, controller.signal);
    await chunks.next();
    const next = chunks.next().catch(nameOf);
    controller.abort('left');
    expect(await next).toBe('left');
    const listeners = getEventListeners(controller.signal, 'abort').length;
    expect([feed.cancelled(), clock.running(), listeners]).toEqual([true, 0, 0]);
  });

  it('an abort between two reads closes the source immediately', async () => {
    const feed = source();
    const controller = new AbortController();
    const chunks = await opened(createFakeClock(), feed, controller.signal);
    await chunks.next();
    controller.abort('left');
    expect(feed.cancelled()).toBe(true);
    await expect(chunks.next()).rejects.toBe('left');
  });

  it.each([
    ['break', false],
    ['return() before anything is read', true],
  ])('%s closes the source', async (_how, unread) => {
    const feed = source();
    const { signal } = new AbortController();
    const chunks = await opened(createFakeClock(), feed, signal);
    if (unread) {
      await chunks.return?.();
    } else {
      for await (const _chunk of chunks) {
        break;
      }
    }
    expect([feed.cancelled(), getEventListeners(signal, 'abort').length]).toEqual([true, 0]);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it('an error of the source is thrown', async () => {
    async function* failing() {
      yield await Promise.resolve('first');
      throw new RangeError('bug');
    }
    await expect(collect(await startStream(failing))).rejects.toThrow(RangeError);
  });
});

describe('over a socket', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Sends two events, then nothing, and does not end the response. */
  async function stallingServer() {
    const closed = Promise.withResolvers<void>();
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"n":1}\n\ndata: {"n":2}\n\n');
      response.on('close', closed.resolve);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, closed: closed.promise };
  }

  it('a fetch body that stalls is cancelled, and its connection is closed', async () => {
    const { url, closed } = await stallingServer();
    const clock = createFakeClock();
    const open = async (signal: AbortSignal) => (await okOrThrow(await fetch(url, { signal }))).body;
    const chunks = await startStream(open, { ...LIMITS, clock });
    await chunks.next();
    expect(await clock.run(chunks.next()).catch(nameOf)).toBe('TimeoutError');
    await closed;
  });

  it('a stream of the openai package that stalls is cancelled, and its connection is closed', async () => {
    const { url, closed } = await stallingServer();
    const clock = createFakeClock();
    const client = new OpenAI({ apiKey: 'test', baseURL: url, maxRetries: 0 });
    const events = await startStream(
      (signal) => client.responses.create({ model: 'gpt-5-mini', input: 'Hello', stream: true }, { signal }),
      { ...LIMITS, clock },
    );
    expect([(await events.next()).value, (await events.next()).value]).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await clock.run(events.next()).catch(nameOf)).toBe('TimeoutError');
    await closed;
  });
});
