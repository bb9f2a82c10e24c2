/**
 * Faults that one request to an endpoint can encounter on a real socket, caused by broken networks, overloaded servers and
 * misconfigured gateways. Tests iterate over the two tables.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Fault = Exclude<FaultName, 'refused'> | Late;

/** The correct response, delayed by this many milliseconds. */
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
  /** Forwards the request to the endpoint, and returns its response. */
  readonly forward: () => Promise<Reply>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Faults that happen before the request reaches the endpoint. */
const BEFORE_PROCESSING = {
  reset: ({ socket }) => reset(socket),
  silence: () => {
    // Nothing happens until the client gives up or the proxy is closed.
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

/** Faults that happen after the endpoint has processed the request. */
const AFTER_PROCESSING = {
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
  // A parser's error message quotes the text around the error, which is close enough to a secret to reveal a part of it.
  garbled: ({ response }, { status, headers, body }) => {
    respond(response, status, typeIn(headers), body.toString().replace(/^(.*":)"/s, '$1'));
  },
} satisfies Record<string, (exchange: Exchange, reply: Reply) => void | Promise<void>>;

export type FaultName = 'refused' | keyof typeof BEFORE_PROCESSING | keyof typeof AFTER_PROCESSING;

/** @returns whether the endpoint has processed the request, whatever its client knows */
export function isActedUpon(fault: FaultName): boolean {
  return fault in AFTER_PROCESSING;
}

/**
 * Tests start a separate function for each such fault, and wait for all of them at once.
 * @returns whether only the client's own timeout ends the request
 */
export function isWaitedFor(fault: FaultName): boolean {
  return fault === 'silence' || fault === 'trickle';
}

/** @returns the entries of a record by fault, those that take the longest first, so that the others run in the meantime */
export function longestFirst<Name extends FaultName, Value>(record: Readonly<Record<Name, Value>>): [Name, Value][] {
  const entries = Object.entries(record) as [Name, Value][];
  return entries.toSorted(([one], [other]) => Number(isWaitedFor(other)) - Number(isWaitedFor(one)));
}

/** @param fault if undefined, the request is forwarded and its response returned */
export async function applyFault(fault: Fault | undefined, exchange: Exchange): Promise<void> {
  if (typeof fault === 'string' && fault in BEFORE_PROCESSING) {
    return BEFORE_PROCESSING[fault as keyof typeof BEFORE_PROCESSING](exchange);
  }
  const reply = await exchange.forward();
  if (typeof fault === 'string') {
    return await AFTER_PROCESSING[fault as keyof typeof AFTER_PROCESSING](exchange, reply);
  }
  await sleep(fault?.lateMs ?? 0, undefined, { ref: false });
  respond(exchange.response, reply.status, typeIn(reply.headers), reply.body);
}

function respond(response: ServerResponse, status: number, headers: Record<string, string>, body: string | Buffer) {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** @returns only the endpoint's header that says how to read the body */
function typeIn({ 'content-type': type = 'text/plain' }: IncomingHttpHeaders): Record<string, string> {
  return { 'content-type': type };
}

/** Sends RST instead of FIN. */
function reset(socket: Socket): void {
  socket.resetAndDestroy();
}
