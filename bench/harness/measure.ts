/** Measures several contenders side by side on a machine whose load varies. */
import { stopped } from './stopping.ts';

/** The middle value; for an even number of values, the mean of the middle two, because either alone would favour one contender. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return (at(Math.ceil(sorted.length / 2) - 1) + at(Math.floor(sorted.length / 2))) / 2;
}

/** @param percent from 0 up to 100 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/**
 * Runs each contender once a round. Anything that slows the machine down for a while then affects all of them. Every other round
 * runs in reverse order, and every second round another contender begins, so that it is not always the same one that runs twice
 * in a row. The first round warms up and is discarded; set `warmsUp` to false if a run leaves nothing behind for the next one.
 * @returns the results of each contender, one for each round
 * @throws the signal's reason, before the next contender starts
 */
export async function alternate<Name extends string, Result>(
  contenders: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
  { warmsUp = true, signal = stopped }: { readonly warmsUp?: boolean; readonly signal?: AbortSignal } = {},
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = warmsUp ? 0 : 1; round <= rounds; round += 1) {
    for (const name of orderIn(round, names)) {
      signal.throwIfAborted();
      const result = await contenders[name]();
      if (round > 0) {
        results[name].push(result);
      }
    }
  }
  return results;
}

function orderIn<Name>(round: number, names: readonly Name[]): readonly Name[] {
  const first = Math.floor(round / 2) % names.length;
  const order = [...names.slice(first), ...names.slice(0, first)];
  return round % 2 === 0 ? order : order.toReversed();
}

/** The median of the ratios of each round. The two values of a round were measured under similar load. */
export function medianRatio(ours: readonly number[], others: readonly number[]): number {
  return median(ours.map((value, round) => value / (others[round] ?? Number.NaN)));
}
