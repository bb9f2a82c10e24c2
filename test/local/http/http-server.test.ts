import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Handler, listen, readBody, send } from '../../../local/http/http-server.ts';

async function start(handle: Handler) {
  const server = await listen(handle);
  onTestFinished(() => server.close());
  return server;
}

it('takes a free port and returns it', async () => {
  const first = await start((_, response) => send(response, { status: 204 }));
  const second = await start((_, response) => send(response, { status: 204 }));
  expect(second.port).not.toBe(first.port);
  expect((await fetch(second.origin)).status).toBe(204);
});

it('rejects if the port is in use', async () => {
  const { port } = await start((_, response) => send(response, { status: 204 }));
  await expect(listen(() => undefined, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('sends status, headers and body unchanged', async () => {
  const { origin } = await start((_, response) =>
    send(response, { status: 418, headers: { 'content-type': 'text/plain' }, body: 'かえる' }),
  );
  const response = await fetch(origin);
  expect(response.status).toBe(418);
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(response.headers.get('content-length')).toBe('9');
  expect(await response.text()).toBe('かえる');
});

it('reads a body of exactly the limit, but not one that is a byte longer', async () => {
  const { origin } = await start(async (request, response) => {
    const body = await readBody(request, 100_000);
    send(response, { status: 200, body: String(body?.length) });
  });
  const lengthRead = async (length: number) =>
    (await fetch(origin, { method: 'POST', body: 'x'.repeat(length) })).text();
  expect(await lengthRead(0)).toBe('0');
  expect(await lengthRead(100_000)).toBe('100000');
  expect(await lengthRead(100_001)).toBe('undefined');
});

it('closes at once, even with waiting requests, and frees the port', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await start(() => arrived.resolve());
  const silent = connect(server.port, '127.0.0.1').resume();
  const silentClosed = once(silent, 'close');
  await once(silent, 'connect');
  const unanswered = expect(fetch(server.origin)).rejects.toThrow('fetch failed');
  await arrived.promise;

  await server.close();
  await server.close();

  await unanswered;
  await silentClosed;
  const successor = await listen(() => undefined, server.port);
  await successor.close();
});

it("prints a handler's error and closes the connection", async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => printed.mockRestore());
  const error = new Error('a bug');
  const { origin } = await start(() => {
    throw error;
  });
  await expect(fetch(origin)).rejects.toThrow('fetch failed');
  expect(printed).toHaveBeenCalledExactlyOnceWith(error);
});

it('prints nothing if a client disconnects while it is sending', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => printed.mockRestore());
  const outcome = Promise.withResolvers<unknown>();
  const { port } = await start(async (request) => {
    try {
      await readBody(request, 100);
    } catch (error) {
      outcome.resolve(error);
      throw error;
    }
  });
  const client = connect(port, '127.0.0.1', () => {
    client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\nhalf', () => client.destroy());
  });
  expect(await outcome.promise).toMatchObject({ code: 'ECONNRESET' });
  await new Promise(setImmediate);
  expect(printed).not.toHaveBeenCalled();
});
