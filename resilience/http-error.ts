/**
 * `fetch` does not throw on a 503. `okOrThrow` turns an error response into an error with what a retry decision needs: status,
 * headers, and the body if it is JSON.
 */

export class HttpError extends Error {
  override readonly name = 'HttpError';
  declare readonly status: number;
  declare readonly headers: Headers;
  /** The parsed body if it is JSON, otherwise undefined, for example for a proxy's HTML page. */
  declare readonly body: unknown;

  constructor(status: number, headers: Headers, body: unknown) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Longer bodies are not read to their end. In characters. */
const LONGEST_BODY = 65_536;

/**
 * Returns its argument, unless it is a Response with a status of 400 or more.
 * @throws HttpError for such a Response
 */
export async function okOrThrow<T>(value: T): Promise<T> {
  if (isFailedResponse(value)) {
    throw new HttpError(value.status, value.headers, await jsonBody(value));
  }
  return value;
}

/** Checks properties, because a Response of the undici package or of another frame is not `instanceof Response`. */
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
    // The body is not JSON, was cut off, or was read before. The status decides.
  }
  return undefined;
}
