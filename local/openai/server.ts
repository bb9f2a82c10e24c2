/**
 * Stand-in for api.openai.com. It validates requests as strictly as the real one, and can be scripted to fail. It serves
 *
 *     POST /v1/realtime/client_secrets   keys/client-secrets.ts, or a failure from keys/mint-failures.ts
 *     calls, over WebRTC and WebSocket   calls/calls.ts
 *     /control, /control/calls           control.ts, calls/control.ts
 *
 * and answers everything else with 404, including the retired /v1/realtime/sessions.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpServer, listen, readBody, send } from '../http/http-server.ts';
import { parseJsonObject } from '../http/json-object.ts';
import { invalidRequest, unknownUrl } from './api/errors.ts';
import { CALLS_PATH, createCalls, type HeardCalls } from './calls/calls.ts';
import { CALLS_CONTROL_PATH, serveCallsControl } from './calls/control.ts';
import type { CallAction, CallScript } from './calls/script.ts';
import { createControl, type Heard } from './control.ts';
import { checkRequest, mintClientSecret } from './keys/client-secrets.ts';
import { DEFAULT_SETTINGS, MODES } from './keys/mint-failures.ts';
import type { Script } from './keys/mint-script.ts';

const CONTROL_PATH = '/control';
const CLIENT_SECRETS_PATH = '/v1/realtime/client_secrets';
const BODY_LIMIT_BYTES = 1_000_000;

export interface OpenAI extends HttpServer {
  /** For OPENAI_BASE_URL: `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  /** Sets the script for key requests, effective with the next one. */
  tell(script: Script): void;
  /** Sets the script for calls, effective with the next one. */
  tellCalls(script: CallScript): void;
  /** Applies the action to all open calls. */
  actOnCalls(action: CallAction): void;
  heard(): Heard & { readonly calls: HeardCalls };
  reset(): void;
}

export interface OpenAIOptions {
  /** The only valid key. */
  readonly apiKey: string;
  /** @default 0, which takes a free port */
  readonly port?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

export async function startOpenAI({ apiKey, port = 0, now = Date.now }: OpenAIOptions): Promise<OpenAI> {
  const calls = createCalls(now);
  const { noteArrival, noteRequest, noteMinted, nextScript, serve: serveControl, ...control } = createControl(calls);

  function serve(request: IncomingMessage, response: ServerResponse): void | Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (path === CONTROL_PATH) {
      return serveControl(request, response);
    }
    if (path === CALLS_CONTROL_PATH) {
      return serveCallsControl(request, response, calls);
    }
    response.setHeader('x-request-id', `req_${randomBytes(16).toString('hex')}`);
    if (path === CLIENT_SECRETS_PATH && request.method === 'POST') {
      return serveClientSecret(request, response);
    }
    if (path === CALLS_PATH) {
      return calls.serveOffer(request, response);
    }
    send(response, unknownUrl(request.method, path));
  }

  async function serveClientSecret(request: IncomingMessage, response: ServerResponse): Promise<void> {
    noteArrival(response);
    const body = (await readBody(request, BODY_LIMIT_BYTES))?.toString();
    const safetyIdentifier = request.headers['openai-safety-identifier']?.toString() ?? null;
    noteRequest({ safetyIdentifier, body: parseJsonObject(body ?? '') ?? body ?? null });
    if (body === undefined) {
      return send(response, invalidRequest({ message: 'The request is too large.', status: 413 }));
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
        const secret = mintClientSecret(checked.request, nowMs);
        calls.noteKey(secret);
        return secret;
      },
    });
  }

  const server = await listen(serve, port, calls.upgrade);
  return {
    ...server,
    ...control,
    tellCalls: calls.tell,
    actOnCalls: calls.act,
    baseUrl: `${server.origin}/v1`,
    close: async () => {
      await Promise.all([calls.close(), server.close()]);
    },
  };
}
