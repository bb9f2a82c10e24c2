/**
 * The site under test: sends it one request at a time and reads each answer whole. It never throws, follows no
 * redirect, and never lets a key out: others see only whether there was one.
 */
import { SESSION_PATH } from '../../contract/endpoint.ts';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { classify } from '../../resilience/index.ts';

export interface Asking {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  /** On the site, or a whole URL elsewhere. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  /** Without parameters, lower-case; empty if there is none. */
  readonly mediaType: string;
  readonly text: string;
  /** The body if it is a JSON object, else one without members. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The server's clock by its Date header, else ours, in epoch milliseconds. */
  readonly serverTime: number;
}

export type Reply =
  | Answer
  /** `reason` finishes the sentence "There was no answer: …". */
  | { readonly kind: 'silence'; readonly reason: string };

export interface SiteOptions {
  readonly url: URL;
  readonly fetch: typeof fetch;
  /** For each request, from its start to the answer's last byte. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

export interface Site {
  readonly url: URL;
  readonly isLocal: boolean;
  readonly ask: (asking: Asking) => Promise<Reply>;
  /** All answers of `/session` and below it, so far. */
  readonly apiAnswers: () => readonly Answer[];
  /** How many different keys were handed out, wherever. */
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

  async function ask({ method, path, headers = {}, body }: Asking): Promise<Reply> {
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
      return { kind: 'silence', reason: reasonOf(error, timeoutMs) };
    }
  }

  return { url, isLocal: isLoopback(url), ask, apiAnswers: () => apiAnswers, keysUsed: () => keys.size };
}

export function holdsKey({ status, json }: Answer): boolean {
  return status === 200 && typeof json['value'] === 'string';
}

/** The code of a problem of ours. AWS's own refusals have none, and that tells them apart. */
export function problemCode(reply: Reply): ProblemCode | undefined {
  if (reply.kind === 'silence' || reply.mediaType !== 'application/problem+json') {
    return undefined;
  }
  const { code } = reply.json;
  // Not `in`: 'constructor' in PROBLEMS holds.
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code) ? (code as ProblemCode) : undefined;
}

/** Refused by AWS before the function ran, as a wrong signature is. */
export function isRefusedByAws(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 403 && problemCode(reply) === undefined;
}

/** As in "the answer was 502 (text/html)". */
export function described(reply: Reply): string {
  if (reply.kind === 'silence') {
    return `no answer at all (${reply.reason})`;
  }
  return `${reply.status} (${problemCode(reply) ?? (reply.mediaType || 'without a content type')})`;
}

/** Text of the site's own, fit for a terminal and a bug report: short, in quotes, and without keys. */
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

/** fetch says "fetch failed", and its cause says why: a name that does not resolve, a refused port, a certificate. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if (classify(error).kind === 'timeout') {
    return `nothing within ${timeoutMs / 1_000} s`;
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
}
