/**
 * What can go wrong with one request on its way to an endpoint and back: what broken networks, overloaded servers and
 * wrong gateways do, over real sockets. The tables are the list that tests go through.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Fault = Exclude<FaultName, 'refused'> | Late;

/** The right answer, so many milliseconds late. */
export interface Late {
  readonly lateMs: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Exchange {
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Lets the endpoint do its work, and gives its answer. */
  readonly forward: () => Promise<Reply>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** What goes wrong before the endpoint hears of the request. */
const BEFORE = {
  reset: ({ socket }) => reset(socket),
  silence: () => {
    // Until the client gives up, or the proxy is closed.
  },
  garbage: ({ socket }) => {
    socket.end('\u0000\u0001\u0002 220 mail.example ESMTP\r\n\r\n');
  },
  error_with_200: ({ response }) => {
    const error = { message: 'We are having trouble.', type: 'server_error', code: 'internal_error' };
    respond(response, 200, JSON_TYPE, JSON.stringify({ __type: 'InternalServerError', message: error.message, error }));
  },
  html: ({ response }) => {
    respond(response, 200, { 'content-type': 'text/html' }, `<html>${'x'.repeat(1_000_000)}</html>`);
  },
  html_with_502: ({ response }) => {
    respond(response, 502, { 'content-type': 'text/html' }, `<html>${'x'.repeat(1_000_000)}</html>`);
  },
  busy: ({ response }) => {
    const headers = { ...JSON_TYPE, 'retry-after': '60', 'x-amz-retry-after': '60000' };
    respond(response, 503, headers, JSON.stringify({ __type: 'ThrottlingException', message: 'Rate exceeded' }));
  },
} satisfies Record<string, (exchange: Exchange) => void>;

/** What goes wrong when the endpoint has done what it was asked. */
const AFTER = {
  answer_lost: ({ socket }) => reset(socket),
  reset_midway: ({ response, socket }, { status, headers, body }) => {
    response.writeHead(status, { ...typeIn(headers), 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2), () => reset(socket));
  },
  reset_afterwards: ({ response, socket }, { status, headers, body }) => {
    response.once('finish', () => reset(socket));
    respond(response, status, typeIn(headers), body);
  },
  trickle: async ({ response }, { status, headers, body }) => {
    response.writeHead(status, { ...typeIn(headers), 'content-length': body.length });
    for (const byte of body) {
      if (response.destroyed) {
        return;
      }
      response.write(Buffer.of(byte));
      await sleep(1_000, undefined, { ref: false });
    }
  },
  // A parser's complaint quotes what stands around the place: near enough to a secret to show some of it.
  garbled: ({ response }, { status, headers, body }) => {
    respond(response, status, typeIn(headers), body.toString().replace(/^(.*":)"/s, '$1'));
  },
} satisfies Record<string, (exchange: Exchange, reply: Reply) => void | Promise<void>>;

export type FaultName = 'refused' | keyof typeof BEFORE | keyof typeof AFTER;

/** Those after which the endpoint has done what it was asked, whatever its client knows of that. */
export function isActedUpon(fault: FaultName): boolean {
  return fault in AFTER;
}

/** Those that only the client's own time ends. Tests of them have a function each and wait at once. */
export function isWaitedFor(fault: FaultName): boolean {
  return fault === 'silence' || fault === 'trickle';
}

/** What is told of each fault; first those that are waited for, so that the others run meanwhile. */
export function longestFirst<Name extends FaultName, Told>(told: Readonly<Record<Name, Told>>): [Name, Told][] {
  const each = Object.entries(told) as [Name, Told][];
  return each.toSorted(([one], [other]) => Number(isWaitedFor(other)) - Number(isWaitedFor(one)));
}

/** @param fault undefined: the request is passed on, and its answer back */
export async function carryOut(fault: Fault | undefined, exchange: Exchange): Promise<void> {
  if (typeof fault === 'string' && fault in BEFORE) {
    return BEFORE[fault as keyof typeof BEFORE](exchange);
  }
  const reply = await exchange.forward();
  if (typeof fault === 'string') {
    return await AFTER[fault as keyof typeof AFTER](exchange, reply);
  }
  await sleep(fault?.lateMs ?? 0, undefined, { ref: false });
  respond(exchange.response, reply.status, typeIn(reply.headers), reply.body);
}

function respond(response: ServerResponse, status: number, headers: Record<string, string>, body: string | Buffer) {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Of an endpoint's headers only what tells how to read the body. */
function typeIn({ 'content-type': type = 'text/plain' }: IncomingHttpHeaders): Record<string, string> {
  return { 'content-type': type };
}

/** RST, not FIN. */
function reset(socket: Socket): void {
  socket.resetAndDestroy();
}
