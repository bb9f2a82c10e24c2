/**
 * What a failure means: may the same call be made again, and is the other side well? One answer for a Response, for
 * what `fetch` throws, for the errors of the `openai` package and of the AWS SDK. All are known by their shape, so none
 * is imported.
 */

import { type HeadersLike, lowerCased } from './retry-after.ts';

export type Classification =
  /** The other side answered, and its answer is no. `headers` may say when to come back. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryable: boolean;
      readonly health: 'alive' | 'failing';
      readonly headers: HeadersLike;
    }
  /** No answer, or only part of one. It may have been acted upon all the same. */
  | { readonly kind: 'connection' | 'timeout'; readonly retryable: true; readonly health: 'failing' }
  /** Somebody on this side gave up (`aborted`), or it is none of the above, such as a fault in this program. */
  | { readonly kind: 'aborted' | 'unknown'; readonly retryable: false; readonly health: 'unknown' };

const RETRYABLE: readonly number[] = [429, 500, 502, 503, 504];
/** A 429 with one of these, as `type` or `code`, is an unpaid bill or a spent budget. No wait pays it. */
const UNPAID =
  /^(?:insufficient_quota|credit_balance_exhausted|billing_not_active|(?:project_spend|organization_spend|organization_usage|usage)_limit_exceeded)$/;
/** AWS answers these with status 400 or 503. Not ItemCollectionSizeLimitExceededException, which stays as it is. */
const THROTTLED =
  /Throttl|^(?:(?:Bandwidth|Request)?LimitExceeded|ProvisionedThroughputExceeded|TooManyRequests|SlowDown|PriorRequestNotComplete|TransactionInProgress)/;

/** Codes of Node and of its fetch. Not among them: wrong certificates, wrong URLs, whatever stays wrong. */
const TIMEOUT_CODE = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const CONNECTION_CODE =
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+)$/;
/** Browsers have no codes, only sentences: Chromium's, Firefox's, Safari's. */
const CONNECTION_MESSAGE =
  /^(?:Failed to fetch|network error|NetworkError when attempting to fetch resource|Error in (?:input|body) stream|Load failed|The network connection was lost|The Internet connection appears to be offline)\b/;

/** How deep an error's causes are followed. They can be a circle. */
const DEEPEST_CAUSE = 5;

/** What an error may have, of all that others put on theirs. Nothing here is certain to be there. */
interface Shape {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly retryable?: unknown;
  readonly cause?: unknown;
  readonly status?: unknown;
  readonly headers?: HeadersLike;
  /** The parsed body, on an HttpError. */
  readonly body?: unknown;
  /** Part of the body: OpenAI nests its details in it, and the openai package keeps it under the same name. */
  readonly error?: unknown;
  /** AWS: present where the service's model says that it may be sent again. */
  readonly $retryable?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
  readonly $response?: { readonly headers?: HeadersLike };
}

/**
 * @param failure a Response, or whatever was thrown. Of a Response only status and headers are read: an unpaid bill
 *   shows in the body alone, so prefer the HttpError that `okOrThrow` makes of it.
 */
export function classify(failure: unknown): Classification {
  let aborted = false;
  let error = shapeOf(failure);
  for (let depth = 0; depth < DEEPEST_CAUSE; depth += 1) {
    const answer = classifyAnswer(error);
    if (answer !== undefined) {
      return answer;
    }
    const kind = silence(error);
    if (kind === 'connection' || kind === 'timeout') {
      return { kind, retryable: true, health: 'failing' };
    }
    // Why it was aborted is the cause's to say: for a timeout, openai and AWS too speak of an abort, outermost.
    aborted ||= kind === 'aborted';
    error = shapeOf(error.cause);
  }
  return { kind: aborted ? 'aborted' : 'unknown', retryable: false, health: 'unknown' };
}

function classifyAnswer(error: Shape): Classification | undefined {
  const status = error.$metadata?.httpStatusCode ?? error.status;
  // Below 400, whatever went wrong did so after the status: a body cut off, or one that is not JSON.
  if (typeof status !== 'number' || status < 400) {
    return undefined;
  }
  const headers = error.$response?.headers ?? error.headers ?? {};
  const details = [error, shapeOf(error.body), shapeOf(error.error), shapeOf(shapeOf(error.body).error)];
  const unpaid =
    status === 429 && details.some(({ code, type }) => UNPAID.test(textOf(code)) || UNPAID.test(textOf(type)));
  const throttled = THROTTLED.test(textOf(error.name));

  // The server's own word overrules the status. Where it says both, the no counts.
  const word = lowerCased(headers).get('x-should-retry');
  const no = unpaid || word === 'false' || details.some(({ retryable }) => retryable === false);
  const yes = word === 'true' || details.some(({ retryable }) => retryable === true) || error.$retryable !== undefined;
  return {
    kind: 'answer',
    status,
    retryable: !no && (yes || throttled || RETRYABLE.includes(status)),
    // A bill is a word about this account: the other side is well, and a breaker must not hide it behind a pause.
    health: !unpaid && (throttled || status === 408 || status === 429 || status >= 500) ? 'failing' : 'alive',
    headers,
  };
}

/** What it means that no answer came, or half of one. Codes first: AWS names a reset connection a TimeoutError. */
function silence(error: Shape): 'connection' | 'timeout' | 'aborted' | undefined {
  const code = textOf(error.code);
  const name = textOf(error.name);
  const message = textOf(error.message);
  if (TIMEOUT_CODE.test(code)) {
    return 'timeout';
  }
  if (CONNECTION_CODE.test(code) || name === 'HTTPParserError') {
    return 'connection';
  }
  if (name === 'TypeError' && CONNECTION_MESSAGE.test(message)) {
    return 'connection';
  }
  // The openai package's errors are all named Error, and a bundler renames their classes: the sentence is what stays.
  if (name === 'TimeoutError' || message.startsWith('Request timed out.')) {
    return 'timeout';
  }
  return name === 'AbortError' || message === 'Request was aborted.' ? 'aborted' : undefined;
}

function shapeOf(value: unknown): Shape {
  return Object(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
