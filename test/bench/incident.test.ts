import { beforeAll, describe, expect, it } from 'vitest';
import { addThenCompare } from '../../bench/add-then-compare.ts';
import { type Ask, replayIncident } from '../../bench/incident.ts';
import { createLimiter, parsePolicies } from '../../limiter/index.ts';
import { freshTable, type TestTable } from '../support/table.ts';

/** A hundred calls to a window: the same as an hour's, in a twelfth of the time. */
const WINDOW = 5 * 60_000;
const NOON = Date.UTC(2026, 0, 1, 12);
const incident = { startsAt: NOON, windowMs: WINDOW, windows: 3 };

let table: TestTable;
beforeAll(async () => {
  table = await freshTable();
});

/** Our limiter as the function uses it: refusal cache first, then the table. */
function ours(): Ask {
  let now = 0;
  const limiter = createLimiter({
    table,
    scopes: [{ name: 'client', policies: parsePolicies('10/5m'), counts: 'each' }],
    now: () => now,
  });
  return async (at) => {
    now = at;
    const outcome = limiter.knownRefusal('the-page') ?? (await limiter.reserve('the-page'));
    const state = outcome.admitted ? outcome.nearest : outcome.state;
    return { admitted: outcome.admitted, counter: state.limit - state.remaining };
  };
}

describe('a page that asks again every three seconds for three windows', () => {
  it('is admitted ten times in each window, and the counter never exceeds ten', async () => {
    const { admittedPerWindow, highestCounter } = await replayIncident({ ...incident, ask: ours() });

    expect(admittedPerWindow).toEqual([10, 10, 10]);
    expect(highestCounter).toBe(10);
    expect(Object.values(await table.counters())).toEqual([10, 10, 10]);
  });

  it('is shut out for good by a limiter that adds first and compares afterwards', async () => {
    const ask: Ask = (at) => addThenCompare(table, 'the-page', 10, WINDOW, at);
    const { admittedPerWindow, highestCounter } = await replayIncident({ ...incident, ask });

    expect(admittedPerWindow).toEqual([10, 0, 0]);
    expect(highestCounter).toBe(300);
  });
});
