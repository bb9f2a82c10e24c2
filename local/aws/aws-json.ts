/**
 * The protocol AWS JSON 1.1: a header names the operation, request and response are JSON, and `__type` names the error.
 * https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../http/http-server.ts';
import { parseJsonObject } from '../http/json-object.ts';
import { signatureFault } from './signature-v4.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.1';

export interface AwsRequest {
  /** Such as `AmazonSSM.GetParameter`. */
  readonly target: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** @param service its name in the signature's scope, such as `ssm` */
export function readAwsRequest(
  headers: IncomingHttpHeaders,
  body: string,
  service: string,
): AwsRequest | { readonly refusal: Answer } {
  const target = headers['x-amz-target'];
  if (typeof target !== 'string' || headers['content-type'] !== CONTENT_TYPE) {
    return { refusal: awsError('UnknownOperationException') };
  }
  const fault = signatureFault(headers, service);
  if (fault === 'missing') {
    return { refusal: awsError('MissingAuthenticationTokenException', 'Missing Authentication Token') };
  }
  if (fault === 'malformed') {
    return { refusal: awsError('IncompleteSignatureException', 'The signature does not conform to AWS standards.') };
  }
  const input = parseJsonObject(body);
  return input === undefined ? { refusal: awsError('SerializationException') } : { target, input };
}

/** @param type SDKs use it as the error's name */
export function awsError(type: string, message?: string, status = 400): Answer {
  return { ...awsOutput({ __type: type, message }), status };
}

export function awsOutput(output: object): Answer {
  return { status: 200, headers: { 'content-type': CONTENT_TYPE }, body: JSON.stringify(output) };
}
