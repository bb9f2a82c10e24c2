/**
 * Calls over a WebSocket as OpenAI serves them: the key in the subprotocols, the refusal of a handshake, and events as text
 * messages.
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Answer } from '../../http/http-server.ts';
import type { Line } from './line.ts';

const KEY_PREFIX = 'openai-insecure-api-key.';
/** OpenAI's close code at the end of a session: "going away". */
const GOING_AWAY = 1001;

/** @returns the key in `realtime, openai-insecure-api-key.ek_…`, or an empty text */
export function keyInSubprotocols(header = ''): string {
  const offered = header.split(',').map((name) => name.trim());
  return offered.find((name) => name.startsWith(KEY_PREFIX))?.slice(KEY_PREFIX.length) ?? '';
}

/** A browser sees only close code 1006; other clients see the whole response. */
export function refuseUpgrade(socket: Duplex, { status, headers = {}, body = '' }: Answer): void {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = [`HTTP/1.1 ${status} `, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
  socket.end(`${head}\r\n\r\n${String(body)}`);
}

/** Selects the subprotocol `realtime`, so that the response does not contain the key. */
export function createUpgrader() {
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => 'realtime' });
  return (request: IncomingMessage, socket: Duplex, head: Buffer, onOpen: (webSocket: WebSocket) => void): void =>
    server.handleUpgrade(request, socket, head, onOpen);
}

export function lineOver(webSocket: WebSocket): Line {
  let isSilent = false;
  return {
    send: (event) => !isSilent && webSocket.readyState === WebSocket.OPEN && webSocket.send(JSON.stringify(event)),
    drop: () => webSocket.terminate(),
    vanish: () => {
      isSilent = true;
    },
    close: () => webSocket.close(GOING_AWAY),
  };
}
