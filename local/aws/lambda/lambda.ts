/**
 * Stand-in for AWS Lambda: functions that SDKs invoke, synchronously and asynchronously. It validates requests as strictly as
 * the real one, and can be told to fail. It serves
 *
 *     POST /2015-03-31/functions/NAME/invocations    invoke-api.ts
 *     /control                                       control.ts
 *
 * An asynchronous event goes this way:
 *
 *     202 to the caller -> queue -> reserved concurrency -> container -> after the last attempt, on-failure destination
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../../resilience/index.ts';
import { type HttpServer, listen, send } from '../../http/http-server.ts';
import { CONTROL_PATH, type Controls, serveControl } from './control.ts';
import { type DeployedFunction, deployFunction, type Surroundings } from './deployed-function.ts';
import { createFailures } from './failures.ts';
import { checkFunctions, type FunctionOptions } from './function-options.ts';
import { createHearing } from './heard.ts';
import { serveInvoke } from './invoke-api.ts';
import { UNKNOWN_OPERATION } from './invoke-errors.ts';
import { functionNameIn } from './invoke-request.ts';

export interface Lambda extends HttpServer, Controls {
  /** For AWS_ENDPOINT_URL_LAMBDA. */
  readonly endpoint: string;
  /** Ends all events, in progress and in queues, without records to destinations. Can be called twice. */
  close(): Promise<void>;
}

export interface LambdaOptions {
  readonly functions: readonly FunctionOptions[];
  /** @default 0, which takes a free port */
  readonly port?: number;
  /** For the age of events, and for the waits before retries, timeouts and failures on demand. */
  readonly clock?: Clock;
}

/**
 * Containers start with the first event that needs one. A bundle that cannot be imported fails then.
 * @throws RangeError if Lambda would refuse the settings of a function, and what listening throws, such as EADDRINUSE
 */
export async function startLambda({ functions, port = 0, clock = systemClock }: LambdaOptions): Promise<Lambda> {
  checkFunctions(functions);
  const failures = createFailures();
  const hearing = createHearing();
  const deployed = new Map<string, DeployedFunction>();
  const surroundings: Surroundings = {
    clock,
    failures,
    hearing,
    toDestination: (name, event) => deployed.get(name)?.accept(event),
  };

  const controls: Controls = {
    tell: failures.tell,
    heard: hearing.heard,
    crash(name) {
      const target = deployed.get(name);
      if (target === undefined) {
        throw new RangeError(`There is no function ${name}. Functions: ${[...deployed.keys()].join(', ')}.`);
      }
      target.crash();
    },
    reset() {
      failures.tell({ mode: 'ok' });
      hearing.reset();
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (url.pathname === CONTROL_PATH) {
      return await serveControl(request, response, controls);
    }
    const name = functionNameIn(request.method, url);
    if (name === undefined) {
      return send(response, UNKNOWN_OPERATION);
    }
    await serveInvoke(request, response, name, { functions: deployed, failures, hearing });
  }

  const server = await listen(serve, port);
  for (const options of functions) {
    deployed.set(options.name, deployFunction(options, surroundings));
  }
  return {
    ...server,
    ...controls,
    endpoint: server.origin,
    close: async () => {
      await Promise.all([server.close(), ...[...deployed.values()].map(({ close }) => close())]);
    },
  };
}
