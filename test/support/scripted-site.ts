/**
 * Serves the built page on its own port with the strictest Content-Security-Policy that it must work with, and an endpoint whose
 * responses the test scripts. It records every POST request.
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
  /** The response of the endpoint from now on. A promise that never settles makes requests hang. */
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
    answer: { status: 500, body: 'the test has not scripted a response' },
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
  return site;
}
