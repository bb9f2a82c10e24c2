import { beforeAll, describe, expect, it } from 'vitest';
import { counterExample, ourLimiter } from '../../../bench/incident/contenders.ts';
import { type Ask, replayIncident } from '../../../bench/incident/incident.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

/** A hundred calls to a window: the same as an hour's, in a twelfth of the time. */
const WINDOW = 5 * 60_000;
const NOON = Date.UTC(2026, 0, 1, 12);
const incident = { startsAt: NOON, windowMs: WINDOW, windows: 3 };

let table: TestTable;
beforeAll(async () => {
  table = await freshTable();
});

describe('a page that asks again every three seconds for three windows', () => {
  it('is admitted ten times in each window, and the counter never exceeds ten', async () => {
    const ask = ourLimiter(table, '10/5m');
    const { admittedPerWindow, highestCounter } = await replayIncident({ ...incident, ask });

    expect(admittedPerWindow).toEqual([10, 10, 10]);
    expect(highestCounter).toBe(10);
    expect(Object.values(await table.counters())).toEqual([10, 10, 10]);
  });

  it('is shut out for good by a limiter that adds first and compares afterwards', async () => {
    const ask = counterExample(table, '5m');
    const { admittedPerWindow, highestCounter } = await replayIncident({ ...incident, ask });

    expect(admittedPerWindow).toEqual([10, 0, 0]);
    expect(highestCounter).toBe(300);
  });
});

describe('the longest wait', () => {
  it.each([
    ['yes yes yes yes', { ms: 0, ended: true }],
    ['no  yes yes yes', { ms: 3_000, ended: true }],
    ['yes no  no  yes', { ms: 6_000, ended: true }],
    ['no  yes no  no ', { ms: 6_000, ended: false }],
    ['no  yes no  yes', { ms: 3_000, ended: true }],
    // As long as one that ended: what came after the replay is not known to be longer.
    ['no  yes yes no ', { ms: 3_000, ended: true }],
  ])('of %s is from a refusal to the next admission', async (answers, longestWait) => {
    const script = answers.trim().split(/\s+/).values();
    const ask: Ask = () => Promise.resolve({ admitted: script.next().value === 'yes', counter: 0 });

    const replayed = await replayIncident({ ask, startsAt: NOON, windowMs: 12_000, windows: 1 });
    expect(replayed.longestWait).toEqual(longestWait);
  });
});
