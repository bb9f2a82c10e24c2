/**
 * What a key costs: a request through the bundle, compared with a hand-written script that sends the same requests and does
 * nothing else. OpenAI responds at once, so only DynamoDB and the code take time.
 */
import { buildBundles, bundlePath } from '../harness/bundles.ts';
import type { Part } from '../harness/figures.ts';
import type { CallResult } from '../harness/function-process.ts';
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
  const compare = (measure: (result: CallResult) => number) => {
    const own = ours.map(measure);
    const other = others.map(measure);
    return { ratio: medianRatio(other, own), ours: inMs(median(own)), other: inMs(median(other)) };
  };
  // Over all rounds: in a single round, the 99th percentile would be the slowest call.
  const slowOf = (rounds: readonly CallResult[]) =>
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
          reason: 'The visitor’s write carries a reservation’s id, and every part of a request is validated.',
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
