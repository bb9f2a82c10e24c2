/**
 * What a key costs: a request through the bundle beside a hand-written script that sends the same requests and does nothing
 * else. OpenAI answers at once, so that all that is left is DynamoDB and the code.
 */
import { buildBundles, bundlePath } from '../harness/bundles.ts';
import type { Part } from '../harness/figures.ts';
import type { Done } from '../harness/function-process.ts';
import { alternate, median, medianRatio, percentile } from '../harness/measure.ts';
import { runFunction } from '../harness/running-function.ts';
import { startSurroundings } from '../harness/surroundings.ts';

const ROUNDS = 9;
const CALLS = 80;

export async function key(): Promise<Part> {
  await buildBundles();
  await using surroundings = await startSurroundings();
  await using issuer = await runFunction(bundlePath('issuer'), surroundings.environment);
  await using floor = await runFunction(bundlePath('two-clients'), surroundings.environment);
  const { ours, others } = await alternate(
    { ours: () => issuer.call({ calls: CALLS }), others: () => floor.call({ calls: CALLS }) },
    ROUNDS,
  );
  const compare = (measure: (done: Done) => number) => {
    const own = ours.map(measure);
    const other = others.map(measure);
    return { ratio: medianRatio(other, own), ours: inMs(median(own)), other: inMs(median(other)) };
  };
  // Of one round's calls it would be the slowest.
  const slowOf = (rounds: readonly Done[]) =>
    percentile(
      rounds.flatMap(({ latenciesMs }) => latenciesMs),
      99,
    );
  const [ownSlow, otherSlow] = [slowOf(ours), slowOf(others)];
  return {
    name: 'A key',
    figures: [
      {
        what: 'median time, floor / ours',
        ...compare(({ latenciesMs }) => median(latenciesMs)),
        target: {
          at: 'least',
          ratio: 0.85,
          reason:
            'The visitor’s write carries a reservation’s id, and everything that can be wrong with a request is looked at.',
        },
      },
      {
        what: '99th percentile of all rounds, floor / ours',
        ratio: otherSlow / ownSlow,
        ours: inMs(ownSlow),
        other: inMs(otherSlow),
      },
      { what: 'processor time, floor / ours', ...compare(({ cpuMs }) => cpuMs / CALLS) },
    ],
  };
}

function inMs(value: number): string {
  return `${value.toFixed(2)} ms`;
}
