/**
 * What every stand-in on this laptop is built on: an HTTP server that only this machine can reach, a body read up to a
 * limit, an answer sent whole. Closing it ends every connection at once, also one that is being kept waiting on purpose.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface HttpServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly origin: string;
  /** Resolves when the port is free again. Calling it twice is no fault. */
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * A handler that throws has its error printed and its connection closed: a made-up 500 could be taken for a failure
 * that somebody asked the stand-in to show.
 */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Without one, a request to upgrade is answered like any other. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Longer than anybody here waits between two requests; the services that this stands for keep connections as long. */
const IDLE_LIMIT_MS = 60_000;

/**
 * Listens on 127.0.0.1. Connections from 127.0.0.2, 127.0.0.3, … arrive too; their address is the socket's.
 * @param port 0 takes a free one
 * @throws what listening throws, such as EADDRINUSE
 */
export async function listen(handle: Handler, port = 0, upgrade?: UpgradeHandler): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      const leftWhileSending = error === request.errored;
      if (!leftWhileSending) {
        console.error(error);
      }
      response.destroy();
    }
  });

  // Node would close a connection after 5 or 6 s without a request, perhaps in the very moment of the next one.
  server.keepAliveTimeout = IDLE_LIMIT_MS;

  if (upgrade !== undefined) {
    server.on('upgrade', upgrade);
  }

  // Not closeAllConnections(): it does not know a connection that has become a WebSocket.
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actualPort } = server.address() as AddressInfo;

  let closed: Promise<void> | undefined;
  function close(): Promise<void> {
    closed ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) {
        socket.destroy();
      }
    });
    return closed;
  }

  return { port: actualPort, origin: `http://127.0.0.1:${actualPort}`, close };
}

/**
 * The request's body, or undefined when it is longer than the limit. A longer one is still read to its end, and thrown
 * away: a client that is sending hears no answer before it has sent everything.
 * @throws the request's error when the client leaves in the middle, which {@link listen} knows to ignore
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limitBytes) {
      chunks.push(chunk);
    }
  }
  return length <= limitBytes ? Buffer.concat(chunks) : undefined;
}

export function send(response: ServerResponse, answer: Answer): void {
  response.statusCode = answer.status;
  response.setHeaders(new Headers(answer.headers ?? {}));
  response.end(answer.body);
}

export function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
