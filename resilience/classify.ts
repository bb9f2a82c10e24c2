/**
 * Classifies a failure: whether the call may be retried, and whether the other system is healthy. It handles a Response, errors of
 * `fetch`, and errors of the `openai` package and the AWS SDK. It recognises them by their properties, so it imports none of these.
 */

import { type HeadersLike, lowerCased } from './retry-after.ts';

export type Classification =
  /** The other system responded with an error status. `headers` may contain the time of a retry. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryable: boolean;
      readonly health: 'alive' | 'failing';
      readonly headers: HeadersLike;
    }
  /** No response, or only a part. The other system may have processed the request nevertheless. */
  | { readonly kind: 'connection' | 'timeout'; readonly retryable: true; readonly health: 'failing' }
  /** The caller aborted the call (`aborted`), or it is any other error, such as a bug in this program (`unknown`). */
  | { readonly kind: 'aborted' | 'unknown'; readonly retryable: false; readonly health: 'unknown' };

const RETRYABLE: readonly number[] = [429, 500, 502, 503, 504];
/** A 429 with one of these as its `type` or `code` means an unpaid bill or a used-up budget. A retry cannot succeed. */
const UNPAID =
  /^(?:insufficient_quota|credit_balance_exhausted|billing_not_active|(?:project_spend|organization_spend|organization_usage|usage)_limit_exceeded)$/;
/** AWS returns these with status 400 or 503. Not ItemCollectionSizeLimitExceededException, for which a retry cannot succeed. */
const THROTTLED =
  /Throttl|^(?:(?:Bandwidth|Request)?LimitExceeded|ProvisionedThroughputExceeded|TooManyRequests|SlowDown|PriorRequestNotComplete|TransactionInProgress)/;

/** Error codes of Node and its fetch. Permanent errors, such as an invalid certificate or URL, are not included. */
const TIMEOUT_CODE = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/;
const CONNECTION_CODE =
  /^(?:ECONN(?:RESET|REFUSED|ABORTED)|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+)$/;
/** Browsers have error messages but no codes: Chromium's, Firefox's, Safari's. */
const CONNECTION_MESSAGE =
  /^(?:Failed to fetch|network error|NetworkError when attempting to fetch resource|Error in (?:input|body) stream|Load failed|The network connection was lost|The Internet connection appears to be offline)\b/;

/** How many causes of an error are followed. They can be circular. */
const DEEPEST_CAUSE = 5;

/** The properties of errors that are read here. Any of them may be missing. */
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
  /** A member of the body in which OpenAI nests its details. The openai package uses the same name on its errors. */
  readonly error?: unknown;
  /** AWS: present if the service's model marks the error as retryable. */
  readonly $retryable?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
  readonly $response?: { readonly headers?: HeadersLike };
}

/**
 * Classifies a failure.
 * @param failure a Response, or any thrown value. Only the status and headers of a Response are read. To detect an unpaid bill,
 *   which only the body shows, pass the HttpError that `okOrThrow` throws.
 */
export function classify(failure: unknown): Classification {
  let aborted = false;
  let error = shapeOf(failure);
  for (let depth = 0; depth < DEEPEST_CAUSE; depth += 1) {
    const answer = classifyAnswer(error);
    if (answer !== undefined) {
      return answer;
    }
    const kind = kindWithoutResponse(error);
    if (kind === 'connection' || kind === 'timeout') {
      return { kind, retryable: true, health: 'failing' };
    }
    // The cause shows why it was aborted: after a timeout, the outermost error of openai and AWS is an abort too.
    aborted ||= kind === 'aborted';
    error = shapeOf(error.cause);
  }
  return { kind: aborted ? 'aborted' : 'unknown', retryable: false, health: 'unknown' };
}

function classifyAnswer(error: Shape): Classification | undefined {
  const status = error.$metadata?.httpStatusCode ?? error.status;
  // A status below 400 means that the error came after it: the body was cut off or is not JSON.
  if (typeof status !== 'number' || status < 400) {
    return undefined;
  }
  const headers = error.$response?.headers ?? error.headers ?? {};
  const details = [error, shapeOf(error.body), shapeOf(error.error), shapeOf(shapeOf(error.body).error)];
  const unpaid =
    status === 429 && details.some(({ code, type }) => UNPAID.test(textOf(code)) || UNPAID.test(textOf(type)));
  const throttled = THROTTLED.test(textOf(error.name));

  // What the server says overrides the status. If it says both, `false` takes precedence.
  const header = lowerCased(headers).get('x-should-retry');
  const forbids = unpaid || header === 'false' || details.some(({ retryable }) => retryable === false);
  const allows =
    header === 'true' || details.some(({ retryable }) => retryable === true) || error.$retryable !== undefined;
  return {
    kind: 'answer',
    status,
    retryable: !forbids && (allows || throttled || RETRYABLE.includes(status)),
    // An unpaid bill concerns this account. The other system is healthy, and a circuit breaker must not hide the error.
    health: !unpaid && (throttled || status === 408 || status === 429 || status >= 500) ? 'failing' : 'alive',
    headers,
  };
}

/** Classifies a missing or incomplete response. Checks codes first, because AWS names a reset connection a TimeoutError. */
function kindWithoutResponse(error: Shape): 'connection' | 'timeout' | 'aborted' | undefined {
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
  // All errors of the openai package are named Error, and bundlers rename their classes, so only the message identifies them.
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
