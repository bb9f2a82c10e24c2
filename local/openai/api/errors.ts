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

export function openaiError(status: number, { message, type, param, code }: OpenAIError): Answer {
  return json(status, { error: { message, type, param: param ?? null, code: code ?? null } });
}

export function invalidRequest(error: Omit<OpenAIError, 'type'>, status = 400): Answer {
  return openaiError(status, { ...error, type: 'invalid_request_error' });
}

/** @param supported `'a' and 'b'` */
export function invalidValue(param: string, value: unknown, supported: string): Answer {
  const message = `Invalid value: '${value}'. Supported values are: ${supported}.`;
  return invalidRequest({ message, param, code: 'invalid_value' });
}

/** @param key as the client sent it */
export function incorrectKey(key: string): Answer {
  const message = `Incorrect API key provided: ${masked(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  return invalidRequest({ message, code: 'invalid_api_key' }, 401);
}

export function unknownUrl(method: string | undefined, path: string): Answer {
  return invalidRequest({ message: `Invalid URL (${method} ${path})` }, 404);
}

/** OpenAI's masking, `sk-proj-********MxYA`: eight characters, a star for each hidden one, four characters. */
function masked(key: string): string {
  const hidden = Math.max(0, key.length - 12);
  return hidden === 0 ? '*'.repeat(key.length) : key.slice(0, 8) + '*'.repeat(hidden) + key.slice(-4);
}
