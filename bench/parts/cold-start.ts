/**
 * A cold start: how large the bundle is, how long its import takes in a fresh process, and when the first visitor has an
 * answer, beside a bundle of the two SDK clients, a handler as most would write it, and one without the SDK, which is the floor.
 */
import { BUNDLES, type BundleName, buildBundles, bundleBytes, bundlePath } from '../harness/bundles.ts';
import type { Figure, Part } from '../harness/figures.ts';
import { alternate, median, medianRatio } from '../harness/measure.ts';
import { runFunction } from '../harness/running-function.ts';
import { startSurroundings } from '../harness/surroundings.ts';

const IMPORTING_ROUNDS = 21;
const ANSWERING_ROUNDS = 11;
const MOST_BYTES = 250_000;

const PEERS: Record<Exclude<BundleName, 'issuer'>, string> = {
  'two-clients': 'two SDK clients',
  typical: 'document client, Powertools, zod, openai',
  'signed-fetch': 'signed fetch (floor)',
};

export async function coldStart(): Promise<Part> {
  await buildBundles();
  await using surroundings = await startSurroundings();
  const importing = await inEveryBundle(IMPORTING_ROUNDS, async (bundle) => {
    // Without configuration INIT builds no client and sends nothing: what is measured is the code.
    await using running = await runFunction(bundle, {});
    return running.told.importMs;
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
      sizeFigure('its bound', MOST_BYTES, { at: 'most', ratio: 1, reason: 'See scripts/bundle-cuts.ts.' }),
      ...peers.map(([name, words]) => sizeFigure(words, bundleBytes(name))),
      ...peers.map(([name, words]) => ({
        what: `import / ${words}`,
        ...timesOf(importing, name),
        target: name === 'two-clients' ? OF_TWO_CLIENTS : undefined,
      })),
      ...peers.map(([name, words]) => ({ what: `first answer / ${words}`, ...timesOf(answering, name) })),
    ],
  };
}

const OF_TWO_CLIENTS = {
  at: 'most',
  ratio: 0.4,
  reason: 'What is left is compiled from text at each start; on a busy machine the difference shrinks.',
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

function sizeFigure(words: string, other: number, target?: Figure['target']): Figure {
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} KB`;
  const own = bundleBytes('issuer');
  return { what: `size / ${words}`, ratio: own / other, target, ours: kilobytes(own), other: kilobytes(other) };
}
