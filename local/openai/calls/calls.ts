/**
 * Calls to the OpenAI stand-in: which keys may call, how calls are answered, and which calls are open. It serves
 *
 *     POST /v1/realtime/calls            an SDP offer, for any origin: webrtc.ts
 *     GET  /v1/realtime?model=…          a WebSocket: websocket.ts
 *
 * Its scripts are in script.ts.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ClientSecretCreateResponse } from 'openai/resources/realtime/client-secrets.js';
import { type Answer, readBody, send } from '../../http/http-server.ts';
import { incorrectKey, invalidRequest, openaiError, unknownUrl } from '../api/errors.ts';
import type { Session } from '../api/session-settings.ts';
import type { Line } from './line.ts';
import { createOpenCalls } from './open-calls.ts';
import type { CallScript } from './script.ts';
import { answerOffer } from './webrtc.ts';
import { createUpgrader, keyInSubprotocols, lineOver, refuseUpgrade } from './websocket.ts';

export const CALLS_PATH = '/v1/realtime/calls';
const WEBSOCKET_PATH = '/v1/realtime';
const BODY_LIMIT_BYTES = 200_000;
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Location, x-request-id' };
const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
  // The last one is sent by @openai/agents-realtime.
  'access-control-allow-headers': 'authorization, content-type, x-openai-agents-sdk',
};

/** What was received since the last reset, except `open`, which is the current number. */
export interface HeardCalls {
  /** Offers and handshakes, including refused ones. */
  readonly asked: number;
  /** Calls on which events could be sent. */
  readonly opened: number;
  readonly open: number;
  /** RTP packets, or events with audio, of all calls. */
  readonly audioReceived: number;
  readonly audioSent: number;
}

type Admission = { readonly session: Session; readonly script: CallScript } | { readonly refusal: Answer };

/** @param now epoch milliseconds */
export function createCalls(now: () => number) {
  const keys = new Map<string, { readonly endsAtMs: number; readonly session: Session }>();
  const vanishes = new Set<() => Promise<void>>();
  const audio = { received: 0, sent: 0 };
  const openCalls = createOpenCalls(audio, now);
  const upgradeTo = createUpgrader();
  let script: CallScript = { mode: 'ok' };
  let timesLeft = Number.POSITIVE_INFINITY;
  let asked = 0;
  let isClosed = false;

  function tell(next: CallScript): void {
    script = next;
    timesLeft = next.times ?? Number.POSITIVE_INFINITY;
  }

  function heard(): HeardCalls {
    return { asked, ...openCalls.count(), audioReceived: audio.received, audioSent: audio.sent };
  }

  /** Returns to normal responses and clears the record. Open calls continue, and keys stay valid. */
  function reset(): void {
    tell({ mode: 'ok' });
    asked = 0;
    openCalls.forget();
    audio.received = 0;
    audio.sent = 0;
  }

  /** Until it expires, a key can open any number of calls. */
  function noteKey({ value, expires_at, session }: ClientSecretCreateResponse): void {
    keys.set(value, { endsAtMs: expires_at * 1000, session: session as Session });
  }

  function admit(key: string): Admission {
    asked += 1;
    const known = keys.get(key);
    if (known === undefined || known.endsAtMs <= now()) {
      return { refusal: incorrectKey(key) };
    }
    const current: CallScript = timesLeft === 0 ? { mode: 'ok' } : script;
    timesLeft = Math.max(0, timesLeft - 1);
    if (current.mode === 'refuse') {
      const error = { message: 'The stand-in is scripted to refuse this call.', type: 'server_error' };
      return { refusal: openaiError(current.status ?? 503, error) };
    }
    return { session: known.session, script: current };
  }

  function admitUpgrade(request: IncomingMessage): Admission {
    const [path = '', query] = (request.url ?? '').split('?', 2);
    if (path !== WEBSOCKET_PATH) {
      return { refusal: unknownUrl(request.method, path) };
    }
    if (!new URLSearchParams(query).has('model')) {
      return { refusal: invalidRequest({ message: 'You must provide a model parameter.', param: 'model' }) };
    }
    return admit(bearerKey(request) || keyInSubprotocols(request.headers['sec-websocket-protocol']));
  }

  async function serveOffer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'OPTIONS') {
      return send(response, { status: 204, headers: PREFLIGHT });
    }
    response.setHeaders(new Headers(CORS));
    if (request.method !== 'POST') {
      return send(response, unknownUrl(request.method, CALLS_PATH));
    }
    const offer = (await readBody(request, BODY_LIMIT_BYTES))?.toString() ?? '';
    const admission = admit(bearerKey(request));
    return send(response, 'refusal' in admission ? admission.refusal : await answer(request, offer, admission));
  }

  async function answer(
    request: IncomingMessage,
    offer: string,
    { session, script: callScript }: Exclude<Admission, { refusal: Answer }>,
  ): Promise<Answer> {
    if (!/^application\/sdp\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      return invalidRequest({ message: 'The content type must be application/sdp.', code: 'unsupported_content_type' });
    }
    let line: Line | undefined;
    let vanish: (() => Promise<void>) | undefined;
    const call = await answerOffer(offer, {
      audio,
      onOpen(opening) {
        line = opening;
        return openCalls.pickUp(opening, session, callScript);
      },
      onEnd() {
        if (line !== undefined) {
          openCalls.end(line);
        }
        if (vanish !== undefined) {
          vanishes.delete(vanish);
        }
      },
    });
    if (call === undefined) {
      return invalidRequest({ message: 'The offer could not be answered.', code: 'invalid_offer' });
    }
    vanish = call.vanish;
    vanishes.add(vanish);
    if (isClosed) {
      await vanish();
    }
    const location = `${CALLS_PATH}/rtc_${randomBytes(16).toString('hex')}`;
    return { status: 201, headers: { 'content-type': 'application/sdp', location }, body: call.sdp };
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const admission = admitUpgrade(request);
    if ('refusal' in admission) {
      refuseUpgrade(socket, admission.refusal);
      return;
    }
    upgradeTo(request, socket, head, (webSocket) => {
      const line = lineOver(webSocket);
      webSocket.on('error', console.error);
      webSocket.on('close', () => openCalls.end(line));
      const conversation = openCalls.pickUp(line, admission.session, admission.script);
      webSocket.on('message', (data) => conversation.receive(String(data)));
    });
  }

  /** Ends the WebRTC calls. WebSockets end with the server's connections. */
  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...vanishes].map((vanish) => vanish()));
  }

  return { tell, act: openCalls.act, heard, reset, noteKey, serveOffer, upgrade, close };
}

/** The key in the header that a browser cannot send with a WebSocket, or an empty text. */
function bearerKey({ headers }: IncomingMessage): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}
