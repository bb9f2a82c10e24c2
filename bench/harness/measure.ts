/** Measuring several things side by side on a machine that is never quite still. */
import { stopped } from './stopping.ts';

/** The middle one; of an even number, what lies between the two: either alone would favour somebody. */
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
 * Runs each contender once a round, in turn, every other round backwards: what slows the machine down for a while then
 * meets all of them. Every second round another begins, so that none is always the one that follows itself. The first
 * round warms up and is thrown away, unless nothing is left of one for the next.
 * @returns what each contender's rounds gave
 * @throws the signal's reason, before another contender begins
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

/** The median of what one is of the other, round by round: the two of a round met the same machine. */
export function medianRatio(ours: readonly number[], others: readonly number[]): number {
  return median(ours.map((value, round) => value / (others[round] ?? Number.NaN)));
}
