/**
 * Origin access control, simplified: the edge signs what it forwards, and the Function URL serves only signed requests. The
 * signature is an HMAC with a secret of this local stack, not AWS's Signature Version 4. As on AWS, it covers the body's hash
 * that the client declares, because the edge does not read the body.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { BODY_HASH_HEADER } from '../../contract/endpoint.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface OriginAccess {
  /** The Authorization header for a request. */
  readonly sign: (method: string, path: string, headers: Headers) => string;
  readonly isSigned: (method: string, path: string, headers: Headers) => boolean;
}

const SCHEME = 'AWS4-HMAC-SHA256';

export function createOriginAccess(secret: Uint8Array = crypto.getRandomValues(new Uint8Array(32))): OriginAccess {
  function sign(method: string, path: string, headers: Headers): string {
    const declaredHash = String(headers[BODY_HASH_HEADER] ?? '');
    const signature = createHmac('sha256', secret).update(`${method}\n${path}\n${declaredHash}`).digest('hex');
    return `${SCHEME} SignedHeaders=${BODY_HASH_HEADER}, Signature=${signature}`;
  }
  return {
    sign,
    isSigned(method, path, headers) {
      const given = Buffer.from(String(headers['authorization'] ?? ''));
      const expected = Buffer.from(sign(method, path, headers));
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
