import { createServer, type Server } from 'node:http';
import { WebSocketServer } from 'ws';
import { createTokenBuckets, HANDSHAKE_RATE } from '../../../resilience/index.ts';

export function createEchoServer(buckets = createTokenBuckets(HANDSHAKE_RATE)): Server {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  sockets.on('connection', (socket) => socket.on('message', (message) => socket.send(message)));

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const decision = buckets.take(request.socket.remoteAddress ?? '');
    if (decision.allowed) {
      sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request));
      return;
    }
    const retryAfter = `Retry-After: ${Math.ceil(decision.retryAfterMs / 1000)}`;
    socket.end(
      ['HTTP/1.1 429 Too Many Requests', retryAfter, 'Connection: close', 'Content-Length: 0', '', ''].join('\r\n'),
    );
  });
  return server;
}
