/**
 * `POST /v1/realtime/client_secrets` as api.openai.com serves it: validates the request and creates the key. Request and
 * response have the types of the npm package `openai` (7.60.0, resources/realtime/client-secrets.d.ts).
 */

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ClientSecretCreateParams, ClientSecretCreateResponse } from 'openai/resources/realtime/client-secrets.js';
import type { Answer } from '../../http/http-server.ts';
import { parseJsonObject } from '../../http/json-object.ts';
import { incorrectKey, invalidRequest, invalidValue, outOfRange, type Refusal } from '../api/errors.ts';
import { refusalOfShape, type ShapeOf } from '../api/object-shapes.ts';
import { effectiveSession, refusalOfSession } from '../api/session-settings.ts';

const BODY = {
  expires_after: { anchor: ['string'], seconds: ['integer'] },
  session: ['object'],
} as const satisfies ShapeOf<ClientSecretCreateParams>;

const SECONDS = { least: 10, most: 7200, default: 600 };

export type Checked = { readonly request: ClientSecretCreateParams } | { readonly refusal: Answer };

/**
 * Checks the key first, then content type, syntax, shape and values. The first invalid part is refused.
 * @param nowMs epoch milliseconds
 */
export function checkRequest(headers: IncomingHttpHeaders, body: string, apiKey: string, nowMs: number): Checked {
  const headerRefusal = refusalOfKey(apiKey, headers.authorization) ?? refusalOfContentType(headers['content-type']);
  if (headerRefusal !== undefined) {
    return { refusal: headerRefusal };
  }
  // The checks below ensure this type.
  const request: ClientSecretCreateParams | undefined = parseJsonObject(body);
  if (request === undefined) {
    return { refusal: invalidRequest({ message: 'We could not parse the JSON body of your request.' }) };
  }
  const refusal =
    refusalOfShape(request, BODY) ??
    refusalOfExpiry(request.expires_after ?? {}) ??
    (request.session === undefined ? undefined : refusalOfSession(request.session, nowMs));
  return refusal === undefined ? { request } : { refusal: invalidRequest(refusal) };
}

/** @param nowMs epoch milliseconds */
export function mintClientSecret(request: ClientSecretCreateParams, nowMs: number): ClientSecretCreateResponse {
  return {
    value: `ek_${randomBytes(16).toString('hex')}`,
    expires_at: Math.floor(nowMs / 1000) + (request.expires_after?.seconds ?? SECONDS.default),
    session: effectiveSession(request.session ?? { type: 'realtime' }),
  };
}

function refusalOfKey(apiKey: string, authorization = ''): Answer | undefined {
  return authorization === `Bearer ${apiKey}` ? undefined : incorrectKey(authorization.replace(/^Bearer /, ''));
}

function refusalOfContentType(contentType = ''): Answer | undefined {
  if (/^application\/json\s*(;|$)/i.test(contentType)) {
    return undefined;
  }
  const message = `Unsupported content type: '${contentType}'. This API method only accepts 'application/json' requests.`;
  return invalidRequest({ message, code: 'unsupported_content_type' });
}

function refusalOfExpiry(expiry: ClientSecretCreateParams.ExpiresAfter): Refusal | undefined {
  const { anchor = 'created_at', seconds = SECONDS.default } = expiry;
  if (anchor !== 'created_at') {
    return invalidValue('expires_after.anchor', anchor, "'created_at'");
  }
  return outOfRange('expires_after.seconds', seconds, SECONDS, 'integer');
}
