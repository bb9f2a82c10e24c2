/**
 * A cold start: the size of the bundle, the time of its import in a new process, and the time until the first visitor has a
 * response. Compared with a bundle of the two SDK clients, a typical handler, and one without the SDK, which is the floor.
 */
import { BUNDLES, type BundleName, buildBundles, bundleBytes, bundlePath } from '../harness/bundles.ts';
import type { Figure, Part } from '../harness/figures.ts';
import { alternate, median, medianRatio } from '../harness/measure.ts';
import { runFunction } from '../harness/running-function.ts';
import { startSurroundings } from '../harness/surroundings.ts';

const IMPORTING_ROUNDS = 21;
const ANSWERING_ROUNDS = 11;
const MAX_BYTES = 250_000;

const PEERS: Record<Exclude<BundleName, 'issuer'>, string> = {
  'two-clients': 'two SDK clients',
  typical: 'document client, Powertools, zod, openai',
  'signed-fetch': 'signed fetch (floor)',
};

export async function coldStart(): Promise<Part> {
  await buildBundles();
  await using surroundings = await startSurroundings();
  const importing = await inEveryBundle(IMPORTING_ROUNDS, async (bundle) => {
    // Without configuration, INIT builds no client and sends nothing, so only the code is measured.
    await using running = await runFunction(bundle, {});
    return running.importTimes.importMs;
  });
  const answering = await inEveryBundle(ANSWERING_ROUNDS, async (bundle) => {
    await using running = await runFunction(bundle, surroundings.environment);
    const { atMs } = await running.call({ calls: 1 });
    return atMs;
  });
  const peers = Object.entries(PEERS) as [keyof typeof PEERS, string][];
  return {
    name: 'Cold start',
    figures: [
      sizeFigure('its bound', MAX_BYTES, { at: 'most', ratio: 1, reason: 'See scripts/bundle-cuts.ts.' }),
      ...peers.map(([name, label]) => sizeFigure(label, bundleBytes(name))),
      ...peers.map(([name, label]) => ({
        what: `import / ${label}`,
        ...timesOf(importing, name),
        target: name === 'two-clients' ? IMPORT_TARGET : undefined,
      })),
      ...peers.map(([name, label]) => ({ what: `first answer / ${label}`, ...timesOf(answering, name) })),
    ],
  };
}

const IMPORT_TARGET = {
  at: 'most',
  ratio: 0.4,
  reason: 'The remaining code is compiled from source at each start; on a busy machine the difference is smaller.',
} as const;

type Times = Record<BundleName, number[]>;

function inEveryBundle(rounds: number, measure: (bundle: string) => Promise<number>): Promise<Times> {
  const contenders = BUNDLES.map((name) => [name, () => measure(bundlePath(name))] as const);
  return alternate<BundleName, number>(
    Object.fromEntries(contenders) as Record<BundleName, () => Promise<number>>,
    rounds,
  );
}

function timesOf(times: Times, peer: BundleName): Pick<Figure, 'ratio' | 'ours' | 'other'> {
  return {
    ratio: medianRatio(times.issuer, times[peer]),
    ours: `${median(times.issuer).toFixed(0)} ms`,
    other: `${median(times[peer]).toFixed(0)} ms`,
  };
}

function sizeFigure(label: string, other: number, target?: Figure['target']): Figure {
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} KB`;
  const own = bundleBytes('issuer');
  return { what: `size / ${label}`, ratio: own / other, target, ours: kilobytes(own), other: kilobytes(other) };
}
