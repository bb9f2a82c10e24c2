/**
 * The error format of api.openai.com: `{"error":{"message","type","param","code"}}`. The messages are close to OpenAI's own,
 * because those contain what a visitor must never see: part of a key, an organisation's id, the owner's settings.
 */

import { type Answer, json } from '../../http/http-server.ts';

interface OpenAIError {
  readonly message: string;
  readonly type: string;
  /** The invalid field of the request, such as `session.type`. */
  readonly param?: string;
  readonly code?: string;
}

/** Why a request or an event of a call is invalid. A request gets it as an HTTP response, an event as an `error` event. */
export interface Refusal extends Omit<OpenAIError, 'type'> {
  /** The status of the HTTP response. @default 400 */
  readonly status?: number;
}

export function openaiError(status: number, { message, type, param, code }: OpenAIError): Answer {
  return json(status, { error: { message, type, param: param ?? null, code: code ?? null } });
}

export function invalidRequest({ status = 400, ...error }: Refusal): Answer {
  return openaiError(status, { ...error, type: 'invalid_request_error' });
}

/** @param supported `'a' and 'b'` */
export function invalidValue(param: string, value: unknown, supported: string): Refusal {
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  const message = `Invalid value: '${shown}'. Supported values are: ${supported}.`;
  return { message, param, code: 'invalid_value' };
}

export function missingParameter(param: string): Refusal {
  return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' };
}

/** @param kind the kind of number that the parameter is; it becomes part of the code */
export function outOfRange(
  param: string,
  value: number,
  range: { readonly least: number; readonly most: number },
  kind: 'integer' | 'decimal',
): Refusal | undefined {
  if (value < range.least) {
    const message = `Invalid '${param}': expected a value >= ${range.least}, but got ${value} instead.`;
    return { message, param, code: `${kind}_below_min_value` };
  }
  if (value > range.most) {
    const message = `Invalid '${param}': expected a value <= ${range.most}, but got ${value} instead.`;
    return { message, param, code: `${kind}_above_max_value` };
  }
  return undefined;
}

/** @param key as the client sent it */
export function incorrectKey(key: string): Answer {
  const message = `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  return invalidRequest({ message, code: 'invalid_api_key', status: 401 });
}

export function unknownUrl(method: string | undefined, path: string): Answer {
  return invalidRequest({ message: `Invalid URL (${method} ${path})`, status: 404 });
}

/** OpenAI's masking, `sk-proj-********MxYA`: eight characters, a star for each hidden one, four characters. */
function masked(key: string): string {
  const hidden = Math.max(0, key.length - 12);
  return hidden === 0 ? '*'.repeat(key.length) : key.slice(0, 8) + '*'.repeat(hidden) + key.slice(-4);
}
