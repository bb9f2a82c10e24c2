/** The limiters that are compared: the one that caused the incident, and each of our algorithms. All admit ten per window. */
import { createLimiter, type Policy, parsePolicies, type Table } from '../../limiter/index.ts';
import { addThenCompare, deleteIfExpired } from './add-then-compare.ts';
import type { Ask } from './incident.ts';

export const LIMIT = 10;

export interface Contender {
  /** The limit as owners write it, or what the counter-example does. */
  readonly name: string;
  readonly on: (table: Table) => Ask;
}

/** @param window as in the text of a limit: `1h` */
export function contenders(window: string): readonly Contender[] {
  const names = [`${LIMIT}/${window}`, `sliding ${LIMIT}/${window}`, `bucket ${LIMIT}/${window} burst 3`];
  return [
    { name: 'add, then compare', on: (table) => counterExample(table, window) },
    ...names.map((name) => ({ name, on: (table: Table) => ourLimiter(table, name) })),
  ];
}

export function counterExample(table: Table, window: string): Ask {
  const { windowMs } = onlyPolicy(`${LIMIT}/${window}`);
  return async (now) => {
    await deleteIfExpired(table, 'the-page', now);
    return await addThenCompare(table, 'the-page', LIMIT, windowMs, now);
  };
}

/** As the function uses it: first the cached refusals, then the table. */
export function ourLimiter(table: Table, limit: string): Ask {
  const policy = onlyPolicy(limit);
  // A bucket's counter is the number of tokens taken.
  const most = policy.algorithm === 'bucket' ? policy.burst : policy.limit;
  let now = 0;
  const scope = { name: 'client', policies: [policy], counts: 'each' } as const;
  const limiter = createLimiter({ table, scopes: [scope], now: () => now });
  return async (at) => {
    now = at;
    const outcome = limiter.knownRefusal('the-page') ?? (await limiter.reserve('the-page'));
    const state = outcome.admitted ? outcome.nearest : outcome.state;
    return { admitted: outcome.admitted, counter: most - state.remaining };
  };
}

function onlyPolicy(text: string): Policy {
  const [policy] = parsePolicies(text);
  if (policy === undefined) {
    throw new TypeError(`${text} is no limit.`);
  }
  return policy;
}
