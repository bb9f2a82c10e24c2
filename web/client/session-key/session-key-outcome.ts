/**
 * What the issuer's answer to one request means. Every answer, readable or not, is a value to decide by: an edge's page
 * of HTML, an empty body and half a key among them.
 */
import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';

/** All times are epoch milliseconds of the clock that `now` reads: the visitor's, which may be wrong. */
export type SessionKeyOutcome =
  | {
      readonly kind: 'key';
      /** A secret while it lives: not for the page, the console or any storage. */
      readonly value: string;
      readonly expiresAt: number;
      readonly model: string;
      /** How many more keys the limit nearest to refusing lets out, and when its window ends. */
      readonly remaining: number | undefined;
      readonly resetAt: number | undefined;
    }
  /** The issuer said no. Something must change first, at `retryAt` at the earliest. `detail` is fit to be shown. */
  | {
      readonly kind: 'refused';
      readonly code: ProblemCode;
      readonly detail: string | undefined;
      readonly retryAt: number | undefined;
    }
  /** Too many requests at the same moment, whoever sent them: Lambda's concurrency cap, which knows no `code`. */
  | { readonly kind: 'busy'; readonly retryAt: number | undefined }
  /** No answer, or none that helps. `retryable`: the same request may be sent again as it is. */
  | {
      readonly kind: 'unavailable';
      readonly retryable: boolean;
      readonly code?: ProblemCode;
      readonly detail?: string | undefined;
      readonly retryAt?: number | undefined;
    };

/** Ten digits: epoch seconds until 2286. `Number('')` is 0; a date or two values in one header are not worth a guess. */
const WHOLE_NUMBER = /^\d{1,10}$/;
const HTTP_DATE = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** A smaller difference is the Date header's own rounding and the time that the answer travelled. */
const CLOCK_TOLERANCE_MS = 2_000;

/** @param now epoch milliseconds, when the answer arrived */
export async function readOutcome(response: Response, now: () => number): Promise<SessionKeyOutcome> {
  const arrivedAt = now();
  return outcomeOf(response, readObject(await response.text()), arrivedAt);
}

function outcomeOf(response: Response, body: Record<string, unknown>, now: number): SessionKeyOutcome {
  const { status, headers } = response;
  if (status === 200) {
    return keyOf(body, headers, now) ?? { kind: 'unavailable', retryable: false };
  }

  const retryAfterSeconds = wholeNumber(headers.get('retry-after'));
  const retryAt = retryAfterSeconds === undefined ? undefined : now + retryAfterSeconds * 1000;
  const { code, detail: sentence } = body;
  if (!isProblemCode(code)) {
    return status === 429 ? { kind: 'busy', retryAt } : { kind: 'unavailable', retryable: status >= 500, retryAt };
  }
  const detail = typeof sentence === 'string' && sentence !== '' ? sentence : undefined;
  const problem = PROBLEMS[code];
  return problem.retryable || problem.status >= 500
    ? { kind: 'unavailable', retryable: problem.retryable, code, detail, retryAt }
    : { kind: 'refused', code, detail, retryAt };
}

function keyOf(body: Record<string, unknown>, headers: Headers, now: number): SessionKeyOutcome | undefined {
  const { value, expires_at: expiresAt, session } = body;
  const model = isObject(session) ? session['model'] : undefined;
  if (typeof value !== 'string' || value === '' || typeof expiresAt !== 'number' || typeof model !== 'string') {
    return undefined;
  }
  const ahead = serverAheadMs(headers.get('date'), now);
  const reset = wholeNumber(headers.get('x-ratelimit-reset'));
  return {
    kind: 'key',
    value,
    expiresAt: expiresAt * 1000 - ahead,
    model,
    remaining: wholeNumber(headers.get('x-ratelimit-remaining')),
    resetAt: reset === undefined ? undefined : reset * 1000 - ahead,
  };
}

/**
 * How far the server's clock is ahead of ours. Without this, a visitor whose clock runs five minutes fast would see
 * each key expire on arrival. Other origins do not show us their Date: there, both clocks are taken to agree.
 */
function serverAheadMs(date: string | null, now: number): number {
  const ahead = date !== null && HTTP_DATE.test(date) ? Date.parse(date) - now : 0;
  return Math.abs(ahead) > CLOCK_TOLERANCE_MS ? ahead : 0;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && WHOLE_NUMBER.test(text) ? Number(text) : undefined;
}

/** `Object.hasOwn`, because `'constructor' in PROBLEMS` holds. */
function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code);
}

/** An object without fields stands for all that is not a JSON object: an edge's HTML, an empty body, half an answer. */
function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
