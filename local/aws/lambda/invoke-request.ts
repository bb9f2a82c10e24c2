/** Reads a request to Lambda's operation Invoke: the signature, the type of invocation, the function and the payload. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../../http/http-server.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../identity.ts';
import { signatureFault } from '../signature-v4.ts';
import type { DeployedFunction } from './deployed-function.ts';
import {
  functionNotFound,
  invalidInvocationType,
  invalidJson,
  payloadTooLarge,
  SIGNATURE_FAULTS,
} from './invoke-errors.ts';

export interface Call {
  readonly target: DeployedFunction;
  readonly invocationType: InvocationType;
}

type Refused = { readonly refusal: Answer };

const PATH = /^\/2015-03-31\/functions\/(?<name>[^/]+)\/invocations$/;
const ARN_PREFIX = `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT}:function:`;
const LATEST = ':$LATEST';

const INVOCATION_TYPES = ['RequestResponse', 'Event', 'DryRun'] as const;
type InvocationType = (typeof INVOCATION_TYPES)[number];

/** In bytes. */
export const LARGEST_PAYLOAD = 6 * 1024 * 1024;
/** In bytes. It was 256 KB until October 2025. */
const LARGEST_ASYNCHRONOUS_PAYLOAD = 1024 * 1024;

/** @returns the name or ARN with its version, or undefined if the request is none to Invoke */
export function functionNameIn(method: string | undefined, url: URL): string | undefined {
  const name = method === 'POST' ? PATH.exec(url.pathname)?.groups?.['name'] : undefined;
  const qualifier = url.searchParams.get('Qualifier');
  return name === undefined ? undefined : decodeURIComponent(name) + (qualifier === null ? '' : `:${qualifier}`);
}

export function readCall(
  name: string,
  headers: IncomingHttpHeaders,
  functions: ReadonlyMap<string, DeployedFunction>,
): Call | Refused {
  const fault = signatureFault(headers, 'lambda');
  if (fault !== undefined) {
    return { refusal: SIGNATURE_FAULTS[fault] };
  }
  const given = headers['x-amz-invocation-type'] ?? 'RequestResponse';
  const invocationType = INVOCATION_TYPES.find((type) => type === given);
  if (invocationType === undefined) {
    return { refusal: invalidInvocationType(String(given)) };
  }
  const local = name.replace(ARN_PREFIX, '');
  const target = functions.get(local.endsWith(LATEST) ? local.slice(0, -LATEST.length) : local);
  return target === undefined ? { refusal: functionNotFound(ARN_PREFIX, local) } : { target, invocationType };
}

/**
 * @param body undefined if it is larger than any payload can be
 * @returns the event: without a body, an empty object
 */
export function readPayload(body: Buffer | undefined, type: InvocationType): { readonly payload: unknown } | Refused {
  const limitBytes = type === 'Event' ? LARGEST_ASYNCHRONOUS_PAYLOAD : LARGEST_PAYLOAD;
  if (body === undefined || body.length > limitBytes) {
    return { refusal: payloadTooLarge(body?.length, type, limitBytes) };
  }
  if (body.length === 0) {
    return { payload: {} };
  }
  try {
    return { payload: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch (error) {
    return { refusal: invalidJson(error instanceof Error ? error.message : '') };
  }
}
