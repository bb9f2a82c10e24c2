/**
 * The built page on a port of its own, under the strictest policy it may meet, with an endpoint that answers what a test
 * has scripted. It keeps every POST that it was sent.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ScriptedSite {
  readonly origin: string;
  /** The headers of each POST, in order. */
  readonly posts: readonly IncomingHttpHeaders[];
  /** What the endpoint answers from now on. A promise that stays open is a request that hangs. */
  answer: Answer | Promise<Answer>;
  readonly close: () => Promise<void>;
}

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'";
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

export async function startScriptedSite(folder: string): Promise<ScriptedSite> {
  const posts: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      posts.push(request.headers);
      void Promise.resolve(site.answer).then(({ status, headers, body }) =>
        response.writeHead(status, { ...headers }).end(body),
      );
      return;
    }
    const name = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1);
    readFile(join(folder, name)).then(
      (content) => {
        const type = TYPES[extname(name)] ?? 'application/octet-stream';
        response.writeHead(200, { 'content-type': type, 'content-security-policy': CONTENT_SECURITY_POLICY });
        response.end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  const site: ScriptedSite = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    answer: { status: 500, body: 'the test has not scripted an answer' },
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
  return site;
}
