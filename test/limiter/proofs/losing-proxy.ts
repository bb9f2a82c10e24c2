/**
 * A proxy between the SDK and DynamoDB that drops responses to writes after they were applied: the whole response, or all but its
 * beginning.
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { dynamodb } from '../../support/table.ts';

export type Loss = 'no' | 'all of it' | 'the rest of it';

export interface LosingProxy {
  readonly endpoint: string;
  /** Decides how much of the response to the next write is lost. The write has been applied by then. */
  lose: () => Loss;
  /** The number of applied writes whose response was lost. */
  lost: number;
  readonly close: () => void;
}

export async function losingProxy(): Promise<LosingProxy> {
  const server = createServer((incoming, outgoing) => {
    const forwarded = request(
      dynamodb.endpoint,
      { method: 'POST', path: '/', headers: incoming.headers },
      async (answer) => {
        const body = await buffer(answer);
        const isWrite = String(incoming.headers['x-amz-target']).endsWith('.UpdateItem') && answer.statusCode === 200;
        const loss = isWrite ? proxy.lose() : 'no';
        if (loss === 'no') {
          outgoing.writeHead(answer.statusCode ?? 0, answer.headers).end(body);
          return;
        }
        proxy.lost += 1;
        if (loss === 'the rest of it') {
          outgoing.writeHead(200, { ...answer.headers, 'content-length': String(body.length) });
          outgoing.write(body.subarray(0, 5), () => outgoing.destroy());
        } else {
          outgoing.destroy();
        }
      },
    );
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const proxy: LosingProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose: () => 'no',
    lost: 0,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return proxy;
}

/** Drops the next `count` responses to writes. */
export function losing(count: number, loss: Loss = 'all of it'): () => Loss {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0 ? loss : 'no';
  };
}

/** Drops the response to every nth write: alternately its end and the whole response. */
export function losingEvery(nth: number): () => Loss {
  let writes = 0;
  return () => {
    writes += 1;
    if (writes % nth !== 0) {
      return 'no';
    }
    return (writes / nth) % 2 === 0 ? 'all of it' : 'the rest of it';
  };
}
