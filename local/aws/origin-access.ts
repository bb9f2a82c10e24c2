/**
 * Origin access control in small: the edge signs what it forwards, and the Function URL serves only what is signed. In
 * place of AWS's Signature Version 4 stands an HMAC under a secret that one local stack keeps to itself; what matters is
 * alike: the signature covers the body's hash as the client declares it, since the edge does not read bodies.
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
    const promised = String(headers[BODY_HASH_HEADER] ?? '');
    const signature = createHmac('sha256', secret).update(`${method}\n${path}\n${promised}`).digest('hex');
    return `${SCHEME} SignedHeaders=${BODY_HASH_HEADER}, Signature=${signature}`;
  }
  return {
    sign,
    isSigned(method, path, headers) {
      const given = Buffer.from(String(headers['authorization'] ?? ''));
      const right = Buffer.from(sign(method, path, headers));
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
