/**
 * `fetch` does not throw on a 503. Here an answer that says no becomes an error that carries what a decision about
 * retrying needs: status, headers, and the body where that is JSON.
 */

export class HttpError extends Error {
  override readonly name = 'HttpError';
  declare readonly status: number;
  declare readonly headers: Headers;
  /** The body if it is JSON, else undefined: a proxy's page of HTML says nothing that a program can use. */
  declare readonly body: unknown;

  constructor(status: number, headers: Headers, body: unknown) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** No error body worth deciding by is longer. Characters. */
const LONGEST_BODY = 65_536;

/**
 * Passes on whatever it is given, unless that is a Response with a status of 400 or more.
 * @throws HttpError
 */
export async function okOrThrow<T>(value: T): Promise<T> {
  if (isFailedResponse(value)) {
    throw new HttpError(value.status, value.headers, await jsonBody(value));
  }
  return value;
}

/** By its shape: the Response of the undici package, or of another frame, is not `instanceof Response`. */
function isFailedResponse(value: unknown): value is Response {
  const { status, headers } = (value ?? {}) as Partial<Response>;
  return typeof status === 'number' && status >= 400 && typeof headers?.get === 'function';
}

async function jsonBody(response: Response): Promise<unknown> {
  try {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    for (let text = ''; reader !== undefined && text.length <= LONGEST_BODY; ) {
      const { done, value } = await reader.read();
      if (done) {
        return JSON.parse(text);
      }
      text += decoder.decode(value, { stream: true });
    }
    await reader?.cancel();
  } catch {
    // Not JSON, cut off, or read by somebody else before: the status alone decides.
  }
  return undefined;
}
