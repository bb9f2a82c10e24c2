/**
 * A stand-in for api.openai.com, as strict as the real one, that fails when it is told to. It serves
 *
 *     POST /v1/realtime/client_secrets   openai-client-secrets.ts, or as openai-failures.ts has it
 *     /control                           openai-control.ts
 *
 * and answers 404 to everything else, the retired /v1/realtime/sessions among it.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, listen, readBody, send } from './http-server.ts';
import { parseJsonObject } from './json-object.ts';
import { checkRequest, mintClientSecret } from './openai-client-secrets.ts';
import { createControl, type Heard } from './openai-control.ts';
import { invalidRequest, unknownUrl } from './openai-errors.ts';
import { DEFAULT_SETTINGS, MODES } from './openai-failures.ts';
import type { Script } from './openai-script.ts';

const CONTROL_PATH = '/control';
const CLIENT_SECRETS_PATH = '/v1/realtime/client_secrets';
const BODY_LIMIT_BYTES = 1_000_000;

export interface OpenAI extends HttpServer {
  /** For OPENAI_BASE_URL: `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  /** From the next request on. */
  tell(script: Script): void;
  heard(): Heard;
  reset(): void;
}

export interface OpenAIOptions {
  /** The one key that is right. */
  readonly apiKey: string;
  /** @default 0, any that is free */
  readonly port?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

export async function startOpenAI({ apiKey, port = 0, now = Date.now }: OpenAIOptions): Promise<OpenAI> {
  const { noteArrival, noteRequest, noteMinted, nextScript, serve: serveControl, ...control } = createControl();

  function serve(request: IncomingMessage, response: ServerResponse): void | Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (path === CONTROL_PATH) {
      return serveControl(request, response);
    }
    response.setHeader('x-request-id', `req_${randomBytes(16).toString('hex')}`);
    if (path === CLIENT_SECRETS_PATH && request.method === 'POST') {
      return serveClientSecret(request, response);
    }
    send(response, unknownUrl(request.method, path));
  }

  async function serveClientSecret(request: IncomingMessage, response: ServerResponse): Promise<void> {
    noteArrival(response);
    const body = (await readBody(request, BODY_LIMIT_BYTES))?.toString();
    const safetyIdentifier = request.headers['openai-safety-identifier']?.toString() ?? null;
    noteRequest({ safetyIdentifier, body: parseJsonObject(body ?? '') ?? body ?? null });
    if (body === undefined) {
      return send(response, invalidRequest({ message: 'The request is too large.' }, 413));
    }

    const nowMs = now();
    const checked = checkRequest(request.headers, body, apiKey, nowMs);
    if ('refusal' in checked) {
      return send(response, checked.refusal);
    }

    const { mode, headers = {}, ...settings } = nextScript();
    response.setHeaders(new Headers(headers));
    return MODES[mode]({
      response,
      apiKey,
      nowMs,
      settings: { ...DEFAULT_SETTINGS, ...settings },
      mint() {
        noteMinted();
        return mintClientSecret(checked.request, nowMs);
      },
    });
  }

  const server = await listen(serve, port);
  return { ...server, ...control, baseUrl: `${server.origin}/v1` };
}
