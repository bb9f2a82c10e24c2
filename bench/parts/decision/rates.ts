/** Measures how many decisions a second the contenders make, for allowed and for refused calls. */
import { alternate } from '../../harness/measure.ts';
import { type Contender, type ContenderName, type Decide, LIMIT } from './contenders.ts';

/**
 * Many short rounds, so that anything that slows the machine down for a while affects all contenders alike. A single caller fills
 * one item.
 */
const CALLS_PER_ROUND = { 1: LIMIT, 16: 32, 64: 128 } as const;
/** At first, DynamoDB Local's engine is interpreted and half as fast. After this many calls it is compiled. */
const WARM_UP_CALLS = 600;
const REFUSED_SUBJECTS = 20;

export async function warmUp(contenders: Record<ContenderName, Contender>): Promise<void> {
  for (const [name, { decide }] of Object.entries(contenders)) {
    await rate(REFUSED_SUBJECTS * LIMIT, 8, decide, (call) => `full-${call % REFUSED_SUBJECTS}`);
    await rate(WARM_UP_CALLS / 2, 16, decide, (call) => `full-${call % REFUSED_SUBJECTS}`);
    await rate(WARM_UP_CALLS / 2, 16, decide, (call) => `${name}-${Math.floor(call / LIMIT)}`);
  }
}

export type Rates = Record<`${ContenderName} ${'allowed' | 'refused'}`, number[]>;

/** @returns decisions a second for allowed and for refused calls, one value a round. Contenders take turns within a round. */
export async function measureRates(
  contenders: Record<ContenderName, Contender>,
  names: readonly ContenderName[],
  concurrency: 1 | 16 | 64,
  rounds: number,
): Promise<Rates> {
  const calls = CALLS_PER_ROUND[concurrency];
  let round = 0;
  const allowed = names.map((name) => [
    `${name} allowed`,
    () => {
      round += 1;
      const prefix = `${names.length}-${concurrency}-${round}`;
      return rate(
        calls,
        concurrency,
        contenders[name].decide,
        (call) => `${prefix}-${call % Math.ceil(calls / LIMIT)}`,
      );
    },
  ]);
  const refused = names.map((name) => [
    `${name} refused`,
    () => rate(calls, concurrency, contenders[name].decide, (call) => `full-${call % REFUSED_SUBJECTS}`),
  ]);
  return await alternate(Object.fromEntries([...allowed, ...refused]), rounds);
}

export async function rate(
  calls: number,
  concurrency: number,
  decide: Decide,
  subjectOf: (call: number) => string,
): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const caller = async () => {
    while (next < calls) {
      next += 1;
      await decide(subjectOf(next - 1));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return calls / ((performance.now() - startedAt) / 1_000);
}
