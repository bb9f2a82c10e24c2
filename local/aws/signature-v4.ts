/**
 * Whether a request carries an AWS signature, version 4, in the right form and for the right service. Whether it is
 * genuine is not looked at: on a laptop any credentials will do.
 */

import type { IncomingHttpHeaders } from 'node:http';

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=[^/,]+\/\d{8}\/[a-z0-9-]+\/(?<service>[a-z0-9-]+)\/aws4_request, ?SignedHeaders=[a-z0-9;-]+, ?Signature=[0-9a-f]{64}$/;

/** @param service as it stands in the credential's scope: `ssm`, `lambda` */
export function signatureFault(headers: IncomingHttpHeaders, service: string): 'missing' | 'malformed' | undefined {
  if (headers.authorization === undefined) {
    return 'missing';
  }
  const signedService = SIGNATURE.exec(headers.authorization)?.groups?.['service'];
  return signedService === service && headers['x-amz-date'] !== undefined ? undefined : 'malformed';
}
