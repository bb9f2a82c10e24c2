/**
 * The basis of every stand-in: an HTTP server that only this machine can reach, a body read up to a limit, and a response sent
 * as a whole. Closing it ends every connection at once, also those that a stand-in keeps waiting on purpose.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface HttpServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly origin: string;
  /** Resolves when the port is free again. Can be called twice. */
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * If a handler throws, the error is printed and the connection is closed. A 500 could be mistaken for a failure that the
 * stand-in was scripted to send.
 */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Without one, an upgrade request is handled like any other request. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Longer than the time between any two requests here. The real services keep idle connections about as long. */
const IDLE_LIMIT_MS = 60_000;

/**
 * Listens on 127.0.0.1. Connections from 127.0.0.2, 127.0.0.3, … arrive too: the socket's remote address tells them apart.
 * @param port 0 takes a free port
 * @throws what listening throws, such as EADDRINUSE
 */
export async function listen(handle: Handler, port = 0, upgrade?: UpgradeHandler): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      const isClientDisconnect = error === request.errored;
      if (!isClientDisconnect) {
        console.error(error);
      }
      response.destroy();
    }
  });

  // By default, Node closes a connection after 5 or 6 s without a request, perhaps just as the next one arrives.
  server.keepAliveTimeout = IDLE_LIMIT_MS;

  if (upgrade !== undefined) {
    server.on('upgrade', upgrade);
  }

  // Not closeAllConnections(), which does not close connections that became WebSockets.
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
 * @returns the request's body, or undefined if it is longer than the limit. A longer body is still read to its end and
 *     discarded, because a client reads no response before it has sent the whole request
 * @throws the request's error if the client disconnects, which {@link listen} ignores
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
