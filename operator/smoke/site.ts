/**
 * The site under test. `ask` sends one request and reads the whole response. It never throws and follows no redirect. No key is
 * ever shown: messages only say whether there was one.
 */
import { SESSION_PATH } from '../../contract/endpoint.ts';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { classify } from '../../resilience/index.ts';

export interface SiteRequest {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  /** A path on the site, or a complete URL of another host. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  /** In lower case, without parameters; empty if there is none. */
  readonly mediaType: string;
  readonly text: string;
  /** The body if it is a JSON object; otherwise an empty object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** From the Date header, or from our clock if there is none. In epoch milliseconds. */
  readonly serverTime: number;
}

export interface Silence {
  readonly kind: 'silence';
  /** Completes the sentence "There was no response: …". */
  readonly reason: string;
  /** The step of the connection that failed, if it is one of these. */
  readonly failed?: 'dns' | 'tls';
}

export type Reply = Answer | Silence;

export interface SiteOptions {
  readonly url: URL;
  readonly fetch: typeof fetch;
  /** For each request, from its start to the last byte of the response. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

export interface Site {
  readonly url: URL;
  readonly isLocal: boolean;
  readonly ask: (request: SiteRequest) => Promise<Reply>;
  /** All responses so far from `/session` and the paths below it. */
  readonly apiAnswers: () => readonly Answer[];
  /** How many different keys were received, from any host. */
  readonly keysUsed: () => number;
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const SECRET = /\b(ek_|sk-)[\w-]+/g;
const LONGEST_SHOWN = 80;

export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK_HOST.test(hostname);
}

export function createSite({ url, fetch, timeoutMs, now }: SiteOptions): Site {
  const apiAnswers: Answer[] = [];
  const keys = new Set<unknown>();

  async function ask({ method, path, headers = {}, body }: SiteRequest): Promise<Reply> {
    const target = new URL(path, url);
    try {
      const response = await fetch(target, {
        method,
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body }),
      });
      const answer = answerOf(response, await response.text(), now());
      if (target.origin === url.origin && target.pathname.startsWith(SESSION_PATH)) {
        apiAnswers.push(answer);
      }
      if (holdsKey(answer)) {
        keys.add(answer.json['value']);
      }
      return answer;
    } catch (error) {
      return { kind: 'silence', ...failureOf(error, timeoutMs) };
    }
  }

  return { url, isLocal: isLoopback(url), ask, apiAnswers: () => apiAnswers, keysUsed: () => keys.size };
}

export function holdsKey({ status, json }: Answer): boolean {
  return status === 200 && typeof json['value'] === 'string';
}

/** The problem code of a response of the function. AWS's own refusals have none, which distinguishes them. */
export function problemCode(reply: Reply): ProblemCode | undefined {
  if (reply.kind === 'silence' || reply.mediaType !== 'application/problem+json') {
    return undefined;
  }
  const { code } = reply.json;
  // Not `in`: 'constructor' in PROBLEMS is true.
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code) ? (code as ProblemCode) : undefined;
}

/** Whether AWS refused the request before the function ran, as it does for an invalid signature. */
export function isRefusedByAws(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 403 && problemCode(reply) === undefined;
}

/** As in "the response is 502 (text/html)". */
export function described(reply: Reply): string {
  if (reply.kind === 'silence') {
    return `no response (${reply.reason})`;
  }
  return `${reply.status} (${problemCode(reply) ?? (reply.mediaType || 'without a content type')})`;
}

/** Makes a text from the site safe for a terminal and a bug report: short, in quotes, and without keys. */
export function shown(text: string): string {
  return JSON.stringify(text.replace(SECRET, '$1…').slice(0, LONGEST_SHOWN));
}

function answerOf(response: Response, text: string, now: number): Answer {
  const { status, headers } = response;
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  const date = Date.parse(headers.get('date') ?? '');
  return {
    kind: 'answer',
    status,
    headers,
    mediaType: mediaType.trim().toLowerCase(),
    text,
    json: objectIn(text),
    serverTime: Number.isNaN(date) ? now : date,
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return fieldsOf(value);
  } catch {
    return {};
  }
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** By the codes of Node: `ERR_TLS_CERT_ALTNAME_INVALID`, `CERT_HAS_EXPIRED`, `DEPTH_ZERO_SELF_SIGNED_CERT`, and so on. */
const TLS_CODE = /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_/;
const DNS_CODE = /^(ENOTFOUND|EAI_AGAIN)$/;

/** fetch's message is only "fetch failed". Its cause has the reason: an unknown host, a refused connection, a certificate. */
function failureOf(error: unknown, timeoutMs: number): { reason: string; failed?: 'dns' | 'tls' } {
  if (classify(error).kind === 'timeout') {
    return { reason: `timeout after ${timeoutMs / 1_000} s` };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
  if (code.startsWith('ERR_SSL_')) {
    // The message is a line of OpenSSL's error queue.
    return { reason: `the TLS handshake failed (${code})`, failed: 'tls' };
  }
  if (TLS_CODE.test(code)) {
    return { reason, failed: 'tls' };
  }
  return DNS_CODE.test(code) ? { reason, failed: 'dns' } : { reason };
}
