/** The programs in docs/resilience.md are files that compile. These tests run them. */

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { getJson } from '../../docs/examples/resilience/fetch.ts';
import { placeOrder } from '../../docs/examples/resilience/first-program.ts';
import { ask, connect, listen } from '../../docs/examples/resilience/openai.ts';
import * as parts from '../../docs/examples/resilience/parts.ts';
import { createEchoServer } from '../../docs/examples/resilience/server.ts';
import * as resilience from '../../resilience/index.ts';
import { createFakeClock } from '../resilience/fake-clock.ts';
import { type ScriptedServer, startScriptedServer } from '../resilience/scripted-server.ts';

const PAGE = readFileSync('docs/resilience.md', 'utf8');
const FOLDER = 'docs/examples/resilience';
const ANSWER = { status: 200, body: { id: 7 } };

let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
});

afterAll(() => server.close());

describe('docs/resilience.md', () => {
  it('contains only code from the example files', () => {
    const programs = readdirSync(FOLDER)
      .map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'))
      .map((text) => text.replace('../../../resilience/index.ts', 'ephemeral-key-issuer/resilience'));
    const blocks = [...PAGE.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block.trimEnd());
    expect(blocks.length).toBeGreaterThanOrEqual(9);
    expect(blocks.filter((block) => !programs.some((program) => program.includes(block)))).toEqual([]);
  });

  it('begins with a program of at most 30 lines', () => {
    const [, first = ''] = /^```ts\n(.*?)^```$/ms.exec(PAGE) ?? [];
    expect(first.split('\n').length).toBeLessThanOrEqual(31);
  });

  it.each(
    Object.keys(resilience).filter((name) => !['backoffWindow', 'createIdempotencyKey', 'systemClock'].includes(name)),
  )('documents %s', (name) => {
    expect(PAGE).toContain(name);
  });
});

describe('the first program', () => {
  const { signal } = new AbortController();

  it('returns the response of the other system', async () => {
    server.play(ANSWER);
    expect(await (await placeOrder(server.url, {}, signal)).json()).toEqual({ id: 7 });
    expect(server.requests[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('returns 502 after a failure that is not retryable', async () => {
    server.play({ status: 400 });
    expect((await placeOrder(server.url, {}, signal)).status).toBe(502);
  });

  it('returns 503 with Retry-After', async () => {
    server.play({ status: 503, headers: { 'retry-after': '60' } });
    const response = await placeOrder(server.url, {}, signal);
    expect([response.status, server.requests.length]).toEqual([503, 1]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(60);
  });
});

describe('with fetch', () => {
  it('retries', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    server.play({ status: 503 }, ANSWER);
    expect(await getJson(server.url)).toEqual({ id: 7 });
    vi.restoreAllMocks();
  });
});

describe('with the openai package', () => {
  beforeAll(() => {
    vi.stubEnv('OPENAI_API_KEY', 'test');
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });

  afterAll(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('makes one request per attempt', async () => {
    const message = { type: 'message', content: [{ type: 'output_text', text: 'Good day' }] };
    server.play({ status: 500 }, { status: 200, body: { object: 'response', output: [message] } });
    expect(await ask(connect(server.url), 'Hello')).toBe('Good day');
    expect(server.requests.length).toBe(2);
  });

  it('retries a stream that does not start', async () => {
    const body = ['Good', ' day']
      .map((delta) => `data: ${JSON.stringify({ type: 'response.output_text.delta', delta })}\n\n`)
      .join('');
    server.play('closed_before_answer', { status: 200, headers: { 'content-type': 'text/event-stream' }, body });
    let received = '';
    for await (const text of listen(connect(server.url), 'Hello')) {
      received += text;
    }
    expect([received, server.requests.length]).toEqual(['Good day', 2]);
  });
});

describe('on a server', () => {
  let echo: Server | undefined;

  afterEach(() => {
    echo?.closeAllConnections();
    echo?.close();
  });

  it('accepts five connections at once, and rejects the sixth handshake with 429 and Retry-After', async () => {
    const clock = createFakeClock();
    echo = createEchoServer(resilience.createTokenBuckets({ ...resilience.HANDSHAKE_RATE, clock }));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const url = `ws://127.0.0.1:${(echo.address() as AddressInfo).port}`;

    const accepted: WebSocket[] = [];
    for (let n = 0; n < 5; n += 1) {
      const socket = new WebSocket(url);
      await once(socket, 'open');
      accepted.push(socket);
    }
    const refused = new WebSocket(url).on('error', () => undefined);
    const [, response] = await once(refused, 'unexpected-response');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '1']);

    await clock.advance(500);
    const later = new WebSocket(url);
    await once(later, 'open');
    later.send('hello');
    const [message] = await once(later, 'message');
    expect(String(message)).toBe('hello');
    for (const socket of [...accepted, later]) {
      socket.terminate();
    }
  });
});

describe('the parts', () => {
  it('describe a failure', () => {
    const thrown = [new Response('', { status: 503 }), { code: 'ECONNRESET' }, new DOMException('', 'AbortError')];
    expect(thrown.map(parts.describeFailure)).toEqual([
      'HTTP 503, retry',
      'connection: retry; the request may have been processed',
      'aborted: do not retry',
    ]);
  });

  it('spread reconnections over ten seconds', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    expect([0, 1].map(parts.reconnectInMs)).toEqual([5_000, 500]);
    vi.restoreAllMocks();
  });

  it('read the wait that the server asks for', () => {
    expect(parts.serverWaitMs(new Response('', { headers: { 'retry-after': '2' } }))).toBe(2_000);
  });

  it('protect a call and read a stream', async () => {
    server.play(ANSWER);
    expect((await parts.callGuarded(server.url)).ok).toBe(true);
    expect(await parts.lengthOf(server.url)).toBe(8);
  });

  it('admit twenty at once', () => {
    expect(Array.from({ length: 20 }, parts.admit)).not.toContain(false);
  });
});
