/**
 * Checks that a request has an AWS Signature Version 4 in a valid format and for the expected service. It does not verify the
 * signature: on a laptop, any credentials are accepted.
 */

import type { IncomingHttpHeaders } from 'node:http';

const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=[^/,]+\/\d{8}\/[a-z0-9-]+\/(?<service>[a-z0-9-]+)\/aws4_request, ?SignedHeaders=[a-z0-9;-]+, ?Signature=[0-9a-f]{64}$/;

/** @param service its name in the credential scope: `ssm`, `lambda` */
export function signatureFault(headers: IncomingHttpHeaders, service: string): 'missing' | 'malformed' | undefined {
  if (headers.authorization === undefined) {
    return 'missing';
  }
  const signedService = SIGNATURE.exec(headers.authorization)?.groups?.['service'];
  return signedService === service && headers['x-amz-date'] !== undefined ? undefined : 'malformed';
}
