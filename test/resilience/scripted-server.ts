/** A local server that responds according to a script, one step per request. The last step repeats. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Failures of the connection instead of an error response. */
export type Fault =
  | 'reset_before_answer'
  | 'closed_before_answer'
  | 'cut_off_in_answer'
  | 'not_http'
  | 'hang'
  | 'hang_in_answer';

export type Step = Answer | Fault;

export interface ScriptedServer {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
  /** Whether the last request will never be completed. */
  readonly hangs: () => boolean;
  readonly play: (...steps: Step[]) => void;
  readonly close: () => Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  let script: readonly Step[] = [];
  let hanging = false;
  const requests: IncomingMessage[] = [];

  const server = createServer((request, response) => {
    const step = script[Math.min(requests.length, script.length - 1)] ?? { status: 500 };
    requests.push(request);
    hanging = step === 'hang' || step === 'hang_in_answer';
    request.resume();
    if (typeof step === 'string') {
      FAULTS[step](request, response);
    } else {
      const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
      const type = typeof step.body === 'string' ? 'text/html' : 'application/json';
      response.writeHead(step.status, { 'content-type': type, ...step.headers }).end(text);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    hangs: () => hanging,
    play: (...steps) => {
      script = steps;
      requests.length = 0;
      hanging = false;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const FAULTS: Readonly<Record<Fault, (request: IncomingMessage, response: ServerResponse) => void>> = {
  reset_before_answer: (request) => request.socket.resetAndDestroy(),
  closed_before_answer: (request) => request.socket.destroy(),
  cut_off_in_answer: (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"a":', () => request.socket.destroy());
  },
  not_http: (request) => request.socket.end('Good day.\r\n\r\n'),
  hang: () => undefined,
  hang_in_answer: (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"a":');
  },
};
