/**
 * Parses a Function URL event into a visitor's request, or into the reason why it is rejected. Any part of an event may be missing
 * or malformed. Parsing never throws and sends no request.
 */
import {
  ALLOWED_METHODS,
  IDEMPOTENCY_KEY_HEADER,
  SESSION_PATH,
  VIEWER_ADDRESS_HEADER,
} from '../../contract/endpoint.ts';
import { type Language, preferredLanguage } from '../answers/language.ts';
import { fieldsOf } from '../unknown-value.ts';
import { addressOf } from '../visitor/viewer.ts';

export interface VisitorRequest {
  /** The visitor's address without the port. It must not be logged or stored. */
  readonly address: string;
  readonly idempotencyKey: string | undefined;
}

export type RequestReading =
  | { readonly code: 'request'; readonly request: VisitorRequest }
  | { readonly code: 'preflight' }
  | { readonly code: RejectionCode };

type RejectionCode =
  | 'not_found'
  | 'method_not_allowed'
  | 'origin_not_allowed'
  | 'body_not_allowed'
  | 'idempotency_key_invalid'
  | 'viewer_unknown';

const [POST, OPTIONS] = ALLOWED_METHODS;
const IDEMPOTENCY_KEY = /^[!-~]{16,128}$/;

export function readRequest(event: unknown, allowedOrigins: readonly string[]): RequestReading {
  const { rawPath, requestContext, body } = fieldsOf(event);
  const { method } = fieldsOf(fieldsOf(requestContext)['http']);
  if (rawPath !== SESSION_PATH) {
    return { code: 'not_found' };
  }
  if (method === OPTIONS) {
    return { code: 'preflight' };
  }
  if (method !== POST) {
    return { code: 'method_not_allowed' };
  }
  if (!isOriginAllowed(event, allowedOrigins)) {
    return { code: 'origin_not_allowed' };
  }
  if (body !== undefined && body !== null && body !== '') {
    return { code: 'body_not_allowed' };
  }
  const idempotencyKey = headerOf(event, IDEMPOTENCY_KEY_HEADER);
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return { code: 'idempotency_key_invalid' };
  }
  const address = addressOf(headerOf(event, VIEWER_ADDRESS_HEADER) ?? '');
  return address === undefined ? { code: 'viewer_unknown' } : { code: 'request', request: { address, idempotencyKey } };
}

/** The language for messages. It works for invalid requests too. */
export function languageOf(event: unknown): Language {
  return preferredLanguage(headerOf(event, 'accept-language') ?? '');
}

/** A browser sends the Origin of the page. Other clients send no Origin, and are allowed. */
function isOriginAllowed(event: unknown, allowedOrigins: readonly string[]): boolean {
  const origin = headerOf(event, 'origin');
  return origin === undefined || headerOf(event, 'sec-fetch-site') === 'same-origin' || allowedOrigins.includes(origin);
}

/** Lambda delivers header names in lower case. */
function headerOf(event: unknown, name: string): string | undefined {
  const headers = fieldsOf(fieldsOf(event)['headers']);
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
