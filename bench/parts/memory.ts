/**
 * What the code itself uses, with the SDK's clients and fetch replaced by stubs that respond at once: processor time, and memory
 * after 100 and after 100,000 requests, each from a different address.
 */
import { buildBundles, bundlePath } from '../harness/bundles.ts';
import type { Part } from '../harness/figures.ts';
import { median } from '../harness/measure.ts';
import { runFunction } from '../harness/running-function.ts';
import { stopped } from '../harness/stopping.ts';
import { functionEnvironment, keyAnswer } from '../harness/surroundings.ts';

const FEW = 100;
const MANY = 100_000;
const BATCHES = 50;
const MAX_CPU_MS = 0.3;
/** V8 keeps compiling code that runs often. Ten bytes kept for each request would exceed this. */
const TOLERATED_GROWTH = 1.1;
/** Twice the capacity of the refusal cache. From then on, each new entry replaces an old one. */
const CALLS_TO_FILL_CACHE = 20_000;

export async function memory(): Promise<Part> {
  await buildBundles();
  // Replaces fetch before the bundle is imported.
  const preload = `data:text/javascript,${encodeURIComponent(stubbedFetch())}`;
  await using issuer = await runFunction(bundlePath('stubbed'), functionEnvironment(), {
    execArgv: ['--expose-gc', '--import', preload],
  });
  const first = await issuer.call({ calls: FEW });
  const cpuMs: number[] = [];
  let last = first;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    stopped.throwIfAborted();
    last = await issuer.call({ calls: (MANY - FEW) / BATCHES });
    cpuMs.push(last.cpuMs / ((MANY - FEW) / BATCHES));
  }
  const full = await issuer.call({ calls: CALLS_TO_FILL_CACHE, refusing: true }, 429);
  const refused = await issuer.call({ calls: MANY, refusing: true }, 429);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    name: 'Own work',
    figures: [
      {
        what: 'processor time of a request / its bound',
        ratio: median(cpuMs) / MAX_CPU_MS,
        target: { at: 'most', ratio: 1, reason: 'The machine was busy with something else.' },
        ours: `${median(cpuMs).toFixed(3)} ms`,
        other: `${MAX_CPU_MS} ms`,
      },
      {
        what: `memory after ${MANY.toLocaleString('en')} keys / after ${FEW}`,
        ratio: last.heapBytes / first.heapBytes,
        target: { at: 'most', ratio: TOLERATED_GROWTH, reason: 'Something is kept after each request.' },
        ours: megabytes(last.heapBytes),
        other: megabytes(first.heapBytes),
      },
      {
        what: `memory after ${MANY.toLocaleString('en')} refusals / with the refusal cache full`,
        ratio: refused.heapBytes / full.heapBytes,
        target: {
          at: 'most',
          ratio: TOLERATED_GROWTH,
          reason: 'Something besides the cache is kept after each request.',
        },
        ours: megabytes(refused.heapBytes),
        other: megabytes(full.heapBytes),
      },
    ],
  };
}

/** Does not create a Response of undici, because its cost is not ours. */
function stubbedFetch(): string {
  return `
    const text = ${JSON.stringify(keyAnswer())};
    const headers = { get: () => null };
    globalThis.fetch = async () => ({ ok: true, status: 200, headers, text: async () => text, body: null });`;
}
