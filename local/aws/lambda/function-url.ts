/**
 * Stand-in for a Lambda Function URL with AWS_IAM: refuses unsigned requests, requires the body's hash, enforces the concurrency
 * cap, and converts requests to events and results to responses. Its own refusals have Lambda's wording, as far as it is known.
 * They run no handler and write no log line.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BODY_HASH_HEADER } from '../../../contract/endpoint.ts';
import { type Answer, type HttpServer, json, listen, readBody, send } from '../../http/http-server.ts';
import type { OriginAccess } from '../origin-access.ts';
import type { LocalFunction } from './function.ts';

export interface FunctionUrlOptions {
  readonly invoke: LocalFunction['invoke'];
  readonly originAccess: OriginAccess;
  /** Reserved concurrency: the maximum number of invocations in progress. */
  readonly concurrency: number | 'off';
}

const LARGEST_PAYLOAD = 6 * 1024 * 1024;

const FORBIDDEN = json(403, { Message: 'Forbidden' });
const SIGNATURE_MISMATCH = json(403, {
  message: 'The request signature we calculated does not match the signature you provided.',
});
const TOO_LARGE = json(413, { Message: 'Request must be smaller than 6291456 bytes for the InvokeFunction operation' });
const AT_CONCURRENCY_CAP = json(429, {
  Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
  Type: 'User',
  message: 'Rate Exceeded.',
});
const FUNCTION_ERROR = json(502, { Message: 'Internal Server Error' });

export async function startFunctionUrl({ invoke, originAccess, concurrency }: FunctionUrlOptions): Promise<HttpServer> {
  let inProgress = 0;

  async function serve(request: IncomingMessage): Promise<Answer> {
    const { method = '', url: path = '', headers } = request;
    const body = await readBody(request, LARGEST_PAYLOAD);
    if (!originAccess.isSigned(method, path, headers)) {
      return FORBIDDEN;
    }
    if (body === undefined) {
      return TOO_LARGE;
    }
    if (method === 'POST' && headers[BODY_HASH_HEADER] !== createHash('sha256').update(body).digest('hex')) {
      return SIGNATURE_MISMATCH;
    }
    if (concurrency !== 'off' && inProgress >= concurrency) {
      return AT_CONCURRENCY_CAP;
    }
    inProgress += 1;
    try {
      return answerIn(await invoke(eventOf(method, path, headers, body)));
    } catch {
      return FUNCTION_ERROR;
    } finally {
      inProgress -= 1;
    }
  }

  return await listen(async (request, response) => send(response, await serve(request)));
}

/** Payload format 2.0. The body is text if its content type is, and base64 otherwise. */
function eventOf(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer): unknown {
  const [rawPath = ''] = path.split('?', 1);
  const rawQueryString = path.slice(rawPath.length + 1);
  const { authorization: _, ...forwarded } = headers;
  const isText = /^(text\/|application\/(json|xml|javascript))/.test(headers['content-type'] ?? '');
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers: Object.fromEntries(Object.entries(forwarded).map(([name, value]) => [name, String(value)])),
    requestContext: { http: { method, path: rawPath, protocol: 'HTTP/1.1' }, stage: '$default' },
    ...(body.length === 0 ? {} : { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

function answerIn(result: unknown): Answer {
  const { statusCode, headers, body } = result as {
    readonly statusCode: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  if (!Number.isInteger(statusCode)) {
    throw new TypeError('The function returned no statusCode.');
  }
  return { status: statusCode, headers: headers ?? {}, body: body ?? '' };
}
