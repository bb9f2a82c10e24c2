/**
 * The API's responses: status, headers and body for each verdict. Errors are problem+json (RFC 9457) with a message for the
 * visitor. The internal reason is in the log only.
 */
import { ALLOWED_METHODS } from '../../contract/endpoint.ts';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { type LimitState, rateLimitHeaders, retryAfterSeconds } from '../../limiter/index.ts';
import type { Language } from './language.ts';
import { sentence } from './sentences.ts';
import type { Verdict } from './verdict.ts';

/** Lambda's response format 2.0 for Function URLs. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Registered by draft-ietf-httpapi-ratelimit-headers-10, section 9. */
const QUOTA_EXCEEDED = {
  type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  title: 'Request cannot be satisfied as assigned quota has been exceeded',
};

/** RFC 9457: with `about:blank`, the title is the standard phrase of the status. */
const TITLES: Record<(typeof PROBLEMS)[ProblemCode]['status'], string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

const NO_STORE = { 'cache-control': 'no-store' };

/** @param now epoch milliseconds */
export function answer(verdict: Verdict, language: Language, now: number): Answer {
  const limit = 'limit' in verdict ? verdict.limit : undefined;
  const headers = { ...NO_STORE, ...(limit === undefined ? {} : rateLimitHeaders(limit, now)) };
  if (verdict.code === 'preflight') {
    return { statusCode: 204, headers: { ...headers, allow: ALLOWED_METHODS.join(', ') }, body: '' };
  }
  if (verdict.code === 'issued') {
    const { value, expires_at, session } = verdict.key;
    return {
      statusCode: 200,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ value, expires_at, session }),
    };
  }
  return problem(verdict, limit, headers, language, now);
}

function problem(
  verdict: Exclude<Verdict, { code: 'issued' | 'preflight' }>,
  limit: LimitState | undefined,
  headers: Readonly<Record<string, string>>,
  language: Language,
  now: number,
): Answer {
  const { code } = verdict;
  const { status, retryable } = PROBLEMS[code];
  const retryAfter = 'retryAt' in verdict ? retryAfterSeconds(verdict.retryAt, now) : undefined;
  const isQuota = code === 'rate_limited' || code === 'budget_exhausted';
  const operatorMessage = 'message' in verdict ? messageFor(verdict.message, language) : undefined;
  return {
    statusCode: status,
    headers: {
      ...headers,
      'content-type': 'application/problem+json',
      'content-language': language,
      ...(code === 'method_not_allowed' ? { allow: ALLOWED_METHODS.join(', ') } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify({
      ...(isQuota ? QUOTA_EXCEEDED : { type: 'about:blank', title: TITLES[status] }),
      status,
      detail: operatorMessage ?? sentence(code, language, retryAfter),
      code,
      retryable,
      ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
      ...(isQuota && limit !== undefined ? { 'violated-policies': [limit.scope] } : {}),
    }),
  };
}

/** The operator's message in the visitor's language, otherwise in the other one. An empty message counts as absent. */
function messageFor(message: Readonly<Record<Language, string | undefined>>, language: Language): string | undefined {
  return [message[language], message.en, message.ja].find((text) => text?.trim());
}
