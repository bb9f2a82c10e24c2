/**
 * Stand-in for CloudFront as lib/edge/edge.ts deploys it: sets the viewer's address, drops the headers that the origin request
 * policy does not list, signs what it forwards, adds the CORS and security headers, and serves the page on all other paths.
 */
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import {
  BODY_HASH_HEADER,
  CORS,
  FORWARDED_HEADERS,
  SESSION_PATH_PATTERN,
  VIEWER_ADDRESS_HEADER,
} from '../../contract/endpoint.ts';
import { PAGE_CONFIG_FILE, type PageConfig } from '../../contract/page-config.ts';
import { type PageHeaders, pageHeaders, SECURITY_HEADERS } from '../../contract/security-headers.ts';
import { ORIGIN_TIMEOUT_MS } from '../../contract/times.ts';
import { type Answer, type HttpServer, listen, readBody, send } from '../http/http-server.ts';
import type { OriginAccess } from './origin-access.ts';

export interface EdgeOptions {
  readonly port: number;
  /** The Function URL behind it. */
  readonly functionUrl: string;
  readonly originAccess: OriginAccess;
  readonly allowedOrigins: readonly string[];
  /** The folder of the built page. */
  readonly page: string;
  /** The maximum number of requests that the function gets at once. Further requests wait, and their timeout has not started. */
  readonly mostAtOnce: number;
  /** The host that the page may connect to. */
  readonly openaiBaseUrl: string;
}

const LARGEST_BODY = 20 * 1024 * 1024;
const SESSION_PREFIX = SESSION_PATH_PATTERN.slice(0, -1);
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** @throws EADDRINUSE if the port is taken */
export async function startEdge(options: EdgeOptions): Promise<HttpServer> {
  const page = await readPage(options.page, options.openaiBaseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: options.mostAtOnce });

  const edge = await listen(async (request, response) => {
    // Do not parse this as a URL: `//host/session` would name another host, and a bare `?` would be lost before signing.
    const [path = ''] = (request.url ?? '').split('?', 1);
    const body = await readBody(request, LARGEST_BODY);
    if (!path.startsWith('/')) {
      send(response, ownAnswer(400, 'Bad request. The request target must be a path.'));
    } else if (body === undefined) {
      send(response, ownAnswer(413, 'The request body is too large.'));
    } else if (path.startsWith(SESSION_PREFIX)) {
      const answer = await forward(request, body, options, agent);
      const cors = corsHeaders(request, options.allowedOrigins);
      send(response, { ...answer, headers: { ...answer.headers, ...cors, ...SECURITY_HEADERS } });
    } else {
      const answer = pageAnswer(request.method ?? '', path, page);
      send(response, { ...answer, headers: { ...answer.headers, ...SECURITY_HEADERS } });
    }
  }, options.port);

  return {
    ...edge,
    close: async () => {
      await edge.close();
      agent.destroy();
    },
  };
}

/** A response of CloudFront itself, in HTML. */
function ownAnswer(status: number, sentence: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html', 'x-cache': 'Error from cloudfront' },
    body: `<!DOCTYPE html><html><head><title>ERROR: The request could not be satisfied</title></head><body><h1>${status} ERROR</h1><p>${sentence}</p></body></html>`,
  };
}

async function forward(request: IncomingMessage, body: Buffer, options: EdgeOptions, agent: Agent): Promise<Answer> {
  const { method = '', url: path = '/' } = request;
  const headers = headersForOrigin(request);
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const { hostname, port } = new URL(options.functionUrl);
  const outgoing = httpRequest(
    {
      agent,
      hostname,
      port,
      path,
      method,
      headers: {
        ...headers,
        ...contentHeaders(request, body),
        authorization: options.originAccess.sign(method, path, headers),
      },
      timeout: ORIGIN_TIMEOUT_MS,
    },
    async (incoming) => {
      const { connection: _c, 'keep-alive': _k, 'transfer-encoding': _t, ...passedOn } = incoming.headers;
      const passed = Object.entries(passedOn).map(([name, value]) => [name, String(value)] as const);
      const content = await readBody(incoming, LARGEST_BODY);
      resolve({
        status: incoming.statusCode ?? 502,
        headers: { ...Object.fromEntries(passed), 'x-cache': 'Miss from cloudfront' },
        ...(content === undefined ? {} : { body: content }),
      });
    },
  );
  outgoing.on('timeout', () => {
    resolve(ownAnswer(504, 'CloudFront attempted to establish a connection with the origin, but it took too long.'));
    outgoing.destroy();
  });
  outgoing.on('error', () => resolve(ownAnswer(502, "CloudFront wasn't able to connect to the origin.")));
  outgoing.end(body);
  return await promise;
}

/** The headers on the allowlist, and those that CloudFront adds. An address that the visitor sends is overwritten. */
function headersForOrigin(request: IncomingMessage): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name of [...FORWARDED_HEADERS, BODY_HASH_HEADER]) {
    const value = request.headers[name];
    if (value !== undefined) {
      forwarded[name] = String(value);
    }
  }
  const { remoteAddress = '', remotePort = 0 } = request.socket;
  const forwardedFor = [request.headers['x-forwarded-for'], remoteAddress].flat().filter(Boolean).join(', ');
  return {
    ...forwarded,
    [VIEWER_ADDRESS_HEADER]: `${remoteAddress}:${remotePort}`,
    'x-forwarded-for': forwardedFor,
    'user-agent': 'Amazon CloudFront',
    via: '1.1 local.cloudfront.net (CloudFront)',
  };
}

function contentHeaders(request: IncomingMessage, body: Buffer): Record<string, string> {
  const type = request.headers['content-type'];
  return {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(body.length === 0 && request.method === 'GET' ? {} : { 'content-length': String(body.length) }),
  };
}

/** CloudFront's CORS headers: only for an allowed Origin, with more headers for a preflight request. */
function corsHeaders(request: IncomingMessage, allowedOrigins: readonly string[]): Record<string, string> {
  const { origin } = request.headers;
  if (origin === undefined || !allowedOrigins.includes(origin)) {
    return {};
  }
  const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
  return {
    'access-control-allow-origin': origin,
    vary: 'Origin',
    ...(isPreflight
      ? {
          'access-control-allow-methods': CORS.allowMethods.join(', '),
          'access-control-allow-headers': CORS.allowHeaders.join(', '),
          'access-control-max-age': String(CORS.maxAgeSeconds),
        }
      : { 'access-control-expose-headers': CORS.exposeHeaders.join(', ') }),
  };
}

type Page = ReadonlyMap<string, Answer>;

/**
 * Reads all files once, so that no path can reach outside the folder. As in a deployment, the page's configuration is next to
 * it, unless the folder has its own.
 */
async function readPage(folder: string, openaiBaseUrl: string): Promise<Page> {
  const headers = pageHeaders(openaiBaseUrl);
  const config: PageConfig = { openaiBaseUrl };
  const files = await readdir(folder);
  const answers = files.map(
    async (file): Promise<[string, Answer]> => [
      `/${file}`,
      fileAnswer(file, await readFile(join(folder, file)), headers),
    ],
  );
  const configAnswer = fileAnswer(PAGE_CONFIG_FILE, JSON.stringify(config), headers);
  return new Map([[`/${PAGE_CONFIG_FILE}`, configAnswer], ...(await Promise.all(answers))]);
}

function fileAnswer(file: string, body: Uint8Array | string, headers: PageHeaders): Answer {
  const type = CONTENT_TYPES[extname(file)] ?? 'application/octet-stream';
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-cache', ...headers }, body };
}

/** S3's response for a missing file, to a caller that may not list the bucket. */
const NO_SUCH_FILE: Answer = {
  status: 403,
  headers: { 'content-type': 'application/xml' },
  body: '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
};

function pageAnswer(method: string, path: string, page: Page): Answer {
  if (method !== 'GET' && method !== 'HEAD') {
    return ownAnswer(403, 'This distribution is not configured to allow the HTTP request method that was used.');
  }
  return page.get(path === '/' ? '/index.html' : path) ?? NO_SUCH_FILE;
}
