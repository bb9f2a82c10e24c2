/**
 * A function in a process of its own, as Lambda runs it: told to, it imports a bundle and answers so many visitors, one
 * after the other, each from an address of its own. Everything it finds out it tells its parent.
 */
import process, { argv, cpuUsage, memoryUsage } from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';

export interface Order {
  readonly calls: number;
  /** Write conditions fail, where DynamoDB is a stub. */
  readonly refusing?: boolean;
}

export interface Told {
  /** From the process's start, and of the import alone. */
  readonly importedAtMs: number;
  readonly importMs: number;
}

export interface Done {
  readonly statuses: readonly number[];
  readonly latenciesMs: readonly number[];
  readonly cpuMs: number;
  /** Since the process's start. */
  readonly atMs: number;
  /** After a collection, where Node was told to expose it. */
  readonly heapBytes: number;
}

const [, , bundle = ''] = argv;
const startedAt = performance.now();
const { handler } = await import(bundle);
const importedAtMs = performance.now();
// What INIT has put off until the event loop turns is INIT's too, and nothing of the first request.
await turn();
process.send?.({ importedAtMs, importMs: importedAtMs - startedAt } satisfies Told);

/** Not from the first address again in each process: its limit would be reached in the tenth. */
let visitors = Math.floor(Math.random() * 2 ** 24);

process.on('message', async (order: Order) => {
  Reflect.set(globalThis, 'refusing', order.refusing === true);
  const latenciesMs: number[] = [];
  const statuses = new Set<number>();
  const cpu = cpuUsage();
  for (let call = 0; call < order.calls; call += 1) {
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
  const done: Done = {
    statuses: [...statuses],
    latenciesMs: order.calls > 1_000 ? [] : latenciesMs,
    cpuMs: (user + system) / 1_000,
    atMs,
    heapBytes: heapUsed + arrayBuffers,
  };
  process.send?.(done);
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
