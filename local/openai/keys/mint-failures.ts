/**
 * The modes of the key endpoint: success, and every failure that the function must handle, as a client sees it on the wire. The
 * control route accepts these modes, and tests go through all of them.
 */

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSecretCreateResponse } from 'openai/resources/realtime/client-secrets.js';
import { type Answer, json, send } from '../../http/http-server.ts';
import { incorrectKey, invalidRequest, openaiError } from '../api/errors.ts';

/** A valid request, and what a mode may need to answer it. */
export interface Call {
  readonly response: ServerResponse;
  readonly apiKey: string;
  readonly nowMs: number;
  /** Creates a key. It counts as minted even if no client receives it. */
  readonly mint: () => ClientSecretCreateResponse;
  readonly settings: Settings;
}

/** `status` is for the mode `server_error`, `delayMs` for `slow`. */
interface Settings {
  readonly status: 500 | 501 | 502 | 503 | 504;
  readonly delayMs: number;
}

export const DEFAULT_SETTINGS: Settings = { status: 500, delayMs: 1_000 };

type Behaviour = (call: Call) => void | Promise<void>;

export const MODES = {
  ok: ({ response, mint }) => send(response, json(200, mint())),

  // Refusals: a retry gets the same response.
  unauthorized: ({ response, apiKey }) => send(response, incorrectKey(apiKey)),
  forbidden_country: answering(
    openaiError(403, {
      message: 'Country, region, or territory not supported',
      type: 'request_forbidden',
      code: 'unsupported_country_region_territory',
    }),
  ),
  bad_request: answering(
    invalidRequest({
      message: "Invalid value: 'nobody'. Supported values are: 'alloy', 'cedar' and 'marin'.",
      param: 'session.audio.output.voice',
      code: 'invalid_value',
    }),
  ),
  insufficient_quota: answering(
    openaiError(429, {
      message: 'You exceeded your current quota, please check your plan and billing details.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }),
  ),
  credit_balance_exhausted: answering(
    openaiError(429, {
      message: 'Organization org-K3yStandIn has no API credits remaining.',
      type: 'insufficient_quota',
      code: 'credit_balance_exhausted',
    }),
  ),

  // Temporary failures.
  rate_limited: answering(
    openaiError(429, {
      message: 'Rate limit reached for organization org-K3yStandIn on requests per min (RPM): Limit 3, Used 3.',
      type: 'requests',
      code: 'rate_limit_exceeded',
    }),
  ),
  slow_down: answering(openaiError(429, { message: 'Slow down.', type: 'rate_limit_error', code: 'slow_down' })),
  server_error: ({ response, settings }) =>
    send(
      response,
      openaiError(settings.status, {
        message: 'The server had an error while processing your request. Sorry about that!',
        type: 'server_error',
      }),
    ),

  // Unusable responses.
  blank: answering({ status: 500 }),
  html: answering({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
  }),
  not_json: answering({ status: 200, headers: { 'content-type': 'application/json' }, body: 'upstream connect error' }),
  // The response of the retired /v1/realtime/sessions.
  wrong_shape: ({ response, mint }) => {
    const { value, expires_at, session } = mint();
    send(response, json(200, { ...session, client_secret: { value, expires_at } }));
  },
  expired: ({ response, mint, nowMs }) => {
    const expires_at = Math.floor(nowMs / 1000) - 1;
    send(response, json(200, { ...mint(), expires_at }));
  },
  huge: answering({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: `<html><body>${'x'.repeat(1_000_000)}</body></html>`,
  }),
  // Redirects to the same URL.
  redirect: ({ response }) => send(response, { status: 307, headers: { location: response.req.url ?? '' } }),

  // Connections that fail.
  hang: () => {
    // Sends nothing until the client disconnects or the server is closed.
  },
  // Creates the key first: after a timeout of the client, a key exists that nobody has.
  slow: async ({ response, mint, settings }) => {
    const secret = mint();
    await sleep(settings.delayMs, undefined, { ref: false });
    send(response, json(200, secret));
  },
  trickle: async ({ response, mint }) => {
    const bytes = Buffer.from(JSON.stringify(mint()));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    for (const byte of bytes) {
      if (response.destroyed) {
        return;
      }
      response.write(Buffer.of(byte));
      await sleep(1_000, undefined, { ref: false });
    }
    response.end();
  },
  reset: ({ response }) => {
    response.socket?.resetAndDestroy();
  },
  reset_midway: ({ response, mint }) => {
    const bytes = Buffer.from(JSON.stringify(mint()));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  },
  minted_but_lost: ({ response, mint }) => {
    mint();
    response.destroy();
  },
} satisfies Record<string, Behaviour>;

export type Mode = keyof typeof MODES;

function answering(answer: Answer): Behaviour {
  return ({ response }) => send(response, answer);
}
