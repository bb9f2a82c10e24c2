/**
 * A proxy on 127.0.0.1 between the function and an endpoint. On demand, its requests fail with the faults of faults.ts. It records
 * the requests and counts the open connections.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type HttpServer, listen, readBody } from '../../local/http/http-server.ts';
import { applyFault, type Fault, type FaultName, type Late, type Reply } from './faults.ts';

const BODY_LIMIT_BYTES = 1_000_000;

/** A request that the proxy received. */
export interface Call {
  /** The name of the AWS operation, such as `GetItem`, or otherwise the path. */
  readonly operation: string;
  readonly body: string;
}

/** Chooses the fault of a request. If undefined, the request is forwarded and its response returned. */
export type Rule = (call: Call) => Fault | undefined;

export interface FaultyProxy {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Sets the fault of all future requests. Open connections stay open, unless the fault is `refused`. */
  readonly fail: (fault: FaultName | Late | Rule) => Promise<void>;
  /** Forwards all future requests without faults. */
  readonly mend: () => Promise<void>;
  /** @returns the requests since the last call */
  readonly takeCalls: () => Call[];
  /** @returns the number of open connections that have carried a request */
  readonly connections: () => number;
  /** Closes at once, even if requests are pending. */
  readonly close: () => Promise<void>;
}

/** @param target the endpoint's origin. A path is ignored, because requests have their own. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  let rule: Rule = () => undefined;
  let calls: Call[] = [];
  let server: HttpServer | undefined = await listenOnReservedPort(serve);
  const { port, origin } = server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    if (!sockets.has(socket)) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    const body = (await readBody(request, BODY_LIMIT_BYTES)) ?? Buffer.alloc(0);
    const call = { operation: operationOf(request), body: body.toString() };
    calls.push(call);
    await applyFault(rule(call), { response, socket, forward: () => forward(target, request, body) });
  }

  async function accept(): Promise<void> {
    server ??= await listen(serve, port);
  }

  async function refuse(): Promise<void> {
    await server?.close();
    server = undefined;
  }

  return {
    origin,
    async fail(fault) {
      if (fault === 'refused') {
        return await refuse();
      }
      rule = typeof fault === 'function' ? fault : () => fault;
      await accept();
    },
    async mend() {
      rule = () => undefined;
      await accept();
    },
    takeCalls() {
      const taken = calls;
      calls = [];
      return taken;
    },
    connections: () => sockets.size,
    close: refuse,
  };
}

/**
 * Uses a port below the range from which the system assigns ephemeral ports (from 32,768 or 49,152). While the proxy is closed, no
 * other connection takes this port.
 */
async function listenOnReservedPort(serve: Parameters<typeof listen>[0]): Promise<HttpServer> {
  for (;;) {
    try {
      return await listen(serve, randomInt(20_000, 32_768));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) {
        throw error;
      }
    }
  }
}

async function forward(target: string, request: IncomingMessage, body: Buffer): Promise<Reply> {
  const { method, headers, url = '/' } = request;
  const outgoing = httpRequest(new URL(url, target), {
    method,
    headers: { ...headers, connection: 'close' },
    agent: false,
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = await incoming.toArray();
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) };
}

function operationOf({ headers, url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  return typeof target === 'string' ? target.slice(target.indexOf('.') + 1) : url;
}
