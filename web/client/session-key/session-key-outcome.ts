/**
 * What the issuer's response to one request means. Every response becomes an outcome that the caller can handle, even an
 * HTML page of CloudFront, an empty body or half a key.
 */
import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';

/** All times are epoch milliseconds on the visitor's clock, which may be inaccurate. */
export type SessionKeyOutcome =
  | {
      readonly kind: 'key';
      /** The key. It is a secret until it expires: do not write it to the page, the console or any storage. */
      readonly value: string;
      readonly expiresAt: number;
      readonly model: string;
      /** Keys left under the rate limit that is closest to being exhausted. */
      readonly remaining: number | undefined;
      /** When the window of that limit ends. */
      readonly resetAt: number | undefined;
    }
  /** The issuer refused the request. Something must change first, at `retryAt` at the earliest. Show `detail` unchanged. */
  | {
      readonly kind: 'refused';
      readonly code: ProblemCode;
      readonly detail: string | undefined;
      readonly retryAt: number | undefined;
    }
  /** Too many requests at the same time, from all visitors together: Lambda's concurrency cap, whose response has no `code`. */
  | { readonly kind: 'busy'; readonly retryAt: number | undefined }
  /** No response, or one without a key. `retryable`: whether the same request may be sent again unchanged. */
  | {
      readonly kind: 'unavailable';
      readonly retryable: boolean;
      readonly code?: ProblemCode;
      readonly detail?: string | undefined;
      readonly retryAt?: number | undefined;
    };

/** Ten digits hold epoch seconds until 2286. `Number('')` is 0. A date, or two values in one header, counts as no value. */
const WHOLE_NUMBER = /^\d{1,10}$/;
const HTTP_DATE = /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** The Date header's rounding and the response's travel time explain a smaller difference. */
const CLOCK_TOLERANCE_MS = 2_000;

/** @param now reads the clock, in epoch milliseconds */
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
 * How far the server's clock is ahead of the visitor's. Without this correction, a visitor whose clock runs five minutes fast
 * would see each key expire on arrival. Responses from another origin hide their Date header: both clocks are then assumed to
 * agree.
 */
function serverAheadMs(date: string | null, now: number): number {
  const ahead = date !== null && HTTP_DATE.test(date) ? Date.parse(date) - now : 0;
  return Math.abs(ahead) > CLOCK_TOLERANCE_MS ? ahead : 0;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && WHOLE_NUMBER.test(text) ? Number(text) : undefined;
}

/** `Object.hasOwn`, because `'constructor' in PROBLEMS` is true. */
function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code);
}

/** @returns an empty object for anything that is not a JSON object: CloudFront's HTML, an empty body, half a response */
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
