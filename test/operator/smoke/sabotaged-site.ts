/**
 * A site with one thing broken: a proxy in front of a local stack that forwards everything, except for what its saboteur
 * changes.
 */
import { request as httpRequest } from 'node:http';
import { type Answer, listen, readBody, send } from '../../../local/http/http-server.ts';

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface Passed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Forwards a request. `from`: the last part of the caller's address, 127.0.0.x. */
export type PassOn = (request: Passing, from?: number) => Promise<Passed>;
export type Saboteur = (request: Passing, passOn: PassOn) => Passed | Promise<Passed>;

export interface SabotagedSite extends AsyncDisposable {
  readonly url: URL;
  /** The requests that reached the proxy. */
  readonly requests: readonly Passing[];
}

export async function sabotage(target: string, saboteur: Saboteur): Promise<SabotagedSite> {
  const requests: Passing[] = [];
  const server = await listen(async (incoming, response) => {
    const body = (await readBody(incoming, 1_000)) ?? Buffer.alloc(0);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]),
    );
    const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers, body };
    requests.push(request);
    const answer: Answer = await saboteur(request, (passing, from) => passOnTo(target, passing, from));
    send(response, answer);
  });
  return { url: new URL(server.origin), requests, [Symbol.asyncDispose]: () => server.close() };
}

async function passOnTo(target: string, { method, path, headers, body }: Passing, from = 1): Promise<Passed> {
  const { promise, resolve, reject } = Promise.withResolvers<Passed>();
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...kept } = headers;
  const sent = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  const outgoing = httpRequest(
    new URL(path, target),
    {
      method,
      headers: { ...sent, 'content-length': String(body.length) },
      localAddress: `127.0.0.${from}`,
      agent: false,
    },
    async (incoming) => {
      const text = (await readBody(incoming, 1_000_000))?.toString() ?? '';
      const { connection, 'transfer-encoding': encoding, 'content-length': length, ...rest } = incoming.headers;
      const received = Object.entries(rest).map(([name, value]) => [name, String(value)] as const);
      resolve({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(received), body: text });
    },
  );
  outgoing.on('error', reject);
  outgoing.end(body);
  return await promise;
}

/** A valid request for a key: only a limit can refuse it. */
export function isMint({ method, path, headers, body }: Passing): boolean {
  return method === 'POST' && path === '/session' && body.length === 0 && headers['idempotency-key'] === undefined;
}
