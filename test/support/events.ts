/** Function URL events as Lambda delivers them (payload format 2.0): header names in lower case. */
import { SESSION_PATH } from '../../contract/endpoint.ts';

export interface EventParts {
  readonly method?: unknown;
  readonly path?: unknown;
  /** Added to the headers of a valid request; undefined removes a header. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

/** @returns the event of a visitor's valid request, changed by the parts */
export function sessionEvent({ method = 'POST', path = SESSION_PATH, headers = {}, ...rest }: EventParts = {}) {
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: { 'cloudfront-viewer-address': '203.0.113.9:46532', ...headers },
    requestContext: { http: { method, path, protocol: 'HTTP/1.1' } },
    isBase64Encoded: false,
    ...rest,
  };
}
