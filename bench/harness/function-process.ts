/**
 * Runs a function in its own process, as Lambda does. It imports a bundle, and then, for each message from the parent process,
 * handles a number of visitors one after the other, each from a different address. It sends all measurements to the parent.
 */
import process, { argv, cpuUsage, memoryUsage } from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';

export interface CallRequest {
  readonly calls: number;
  /** All write conditions fail, if DynamoDB is a stub. */
  readonly refusing?: boolean;
}

export interface ImportTimes {
  /** Since the start of the process. */
  readonly importedAtMs: number;
  /** The duration of the import. */
  readonly importMs: number;
}

export interface CallResult {
  readonly statuses: readonly number[];
  readonly latenciesMs: readonly number[];
  readonly cpuMs: number;
  /** Since the start of the process. */
  readonly atMs: number;
  /** After a garbage collection, if Node runs with --expose-gc. */
  readonly heapBytes: number;
}

const [, , bundle = ''] = argv;
const startedAt = performance.now();
const { handler } = await import(bundle);
const importedAtMs = performance.now();
// Work that INIT deferred to the next turn of the event loop is part of INIT, and not of the first request.
await turn();
process.send?.({ importedAtMs, importMs: importedAtMs - startedAt } satisfies ImportTimes);

/** Starts at a random address: if every process started at the same one, its limit would be reached in the tenth process. */
let visitors = Math.floor(Math.random() * 2 ** 24);

process.on('message', async (request: CallRequest) => {
  Reflect.set(globalThis, 'refusing', request.refusing === true);
  const latenciesMs: number[] = [];
  const statuses = new Set<number>();
  const cpu = cpuUsage();
  for (let call = 0; call < request.calls; call += 1) {
    const event = visit();
    const calledAt = performance.now();
    const { statusCode } = await handler(event, { awsRequestId: 'bench' });
    latenciesMs.push(performance.now() - calledAt);
    statuses.add(statusCode);
  }
  const { user, system } = cpuUsage(cpu);
  const atMs = performance.now();
  const collect = Reflect.get(globalThis, 'gc');
  if (typeof collect === 'function') {
    collect();
    collect();
  }
  const { heapUsed, arrayBuffers } = memoryUsage();
  const result: CallResult = {
    statuses: [...statuses],
    latenciesMs: request.calls > 1_000 ? [] : latenciesMs,
    cpuMs: (user + system) / 1_000,
    atMs,
    heapBytes: heapUsed + arrayBuffers,
  };
  process.send?.(result);
});

function visit() {
  visitors += 1;
  const address = `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;
  return {
    rawPath: '/session',
    requestContext: { http: { method: 'POST' } },
    headers: { 'cloudfront-viewer-address': `${address}:443` },
  };
}
