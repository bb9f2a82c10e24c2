/**
 * Stands between the function and something that it calls, on 127.0.0.1, and lets requests meet the faults of faults.ts
 * when it is told to. It tells what arrived, and who is still connected.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type HttpServer, listen, readBody } from '../../local/http/http-server.ts';
import { carryOut, type Fault, type FaultName, type Late, type Reply } from './faults.ts';

const BODY_LIMIT_BYTES = 1_000_000;

/** A request as it arrived. */
export interface Call {
  /** AWS's name of the operation, such as `GetItem`, or else the path. */
  readonly operation: string;
  readonly body: string;
}

/** What happens to one request; undefined: it is passed on, and its answer back. */
export type Rule = (call: Call) => Fault | undefined;

export interface FaultyProxy {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** What happens to requests from now on. Connections that are open stay so, unless it is `refused`. */
  readonly fail: (fault: FaultName | Late | Rule) => Promise<void>;
  /** From now on all is well. */
  readonly mend: () => Promise<void>;
  /** The requests since it was last asked. */
  readonly takeCalls: () => Call[];
  /** Open connections that a request came through. */
  readonly connections: () => number;
  /** At once, whoever is waiting. */
  readonly close: () => Promise<void>;
}

/** @param target the endpoint's origin; a path behind it does not matter, for requests bring theirs */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  let rule: Rule = () => undefined;
  let calls: Call[] = [];
  let server: HttpServer | undefined = await listenWherePortsStay(serve);
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
    await carryOut(rule(call), { response, socket, forward: () => forward(target, request, body) });
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
 * On a port below those that a system hands out to whoever asks for any (from 32,768 on, or 49,152): while it is closed, no
 * connection of somebody else's takes it.
 */
async function listenWherePortsStay(serve: Parameters<typeof listen>[0]): Promise<HttpServer> {
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
