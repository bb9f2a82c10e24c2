import { beforeEach, describe, expect, it } from 'vitest';
import { reserveUnder } from '../../../limiter/algorithms/algorithms.ts';
import { createLimiter } from '../../../limiter/index.ts';
import type { Decision } from '../../../limiter/policy/decision.ts';
import { type Policy, parsePolicies } from '../../../limiter/policy/policy.ts';
import { type MemoryTable, memoryTable } from '../../support/memory-table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let table: MemoryTable;
beforeEach(() => {
  table = memoryTable();
});

function policyOf(text: string): Policy {
  const [policy] = parsePolicies(text);
  if (policy === undefined) {
    throw new TypeError(`no limit: ${text}`);
  }
  return policy;
}

async function call(text: string, now: number): Promise<Decision> {
  const policy = policyOf(text);
  return await reserveUnder(table, { name: 'client', policies: [policy], counts: 'each' }, policy, 'anna', now);
}

/** The times at which a client is admitted that calls every `everyMs`, for three hours from 11:30. */
async function admissions(text: string, everyMs: number): Promise<number[]> {
  const times: number[] = [];
  for (let now = NOON - HOUR / 2; now < NOON + 2.5 * HOUR; now += everyMs) {
    if ((await call(text, now)).admitted) {
      times.push(now);
    }
  }
  return times;
}

/** The highest number of admissions in any period of the given length, wherever it begins. */
function mostWithin(times: readonly number[], lengthMs: number): number {
  const counts = times.map((from) => times.filter((time) => time >= from && time < from + lengthMs).length);
  return Math.max(0, ...counts);
}

describe('the highest number of admissions in any hour, for a client that calls every 10 s,', () => {
  it('is up to twice the limit of a fixed window, around the end of a window', async () => {
    // No call was admitted before in either window.
    const late: number[] = [];
    for (let now = NOON + 0.9 * HOUR; now < NOON + 1.1 * HOUR; now += 10_000) {
      if ((await call('10/1h', now)).admitted) {
        late.push(now);
      }
    }
    expect(mostWithin(late, HOUR)).toBe(20);
  });

  it('is the limit of a sliding window', async () => {
    const times = await admissions('sliding 10/1h', 10_000);

    expect(times).toHaveLength(30);
    expect(mostWithin(times, HOUR)).toBe(10);
  });

  it('is burst plus rate for a token bucket', async () => {
    const times = await admissions('bucket 10/1h burst 3', 10_000);

    // One token refills every six minutes. The longer period includes its end, so it contains one more token.
    expect(mostWithin(times, HOUR)).toBe(12);
    expect(mostWithin(times, HOUR + 1)).toBe(13);
    expect(mostWithin(times, 6 * MINUTE)).toBe(3);
    expect(mostWithin(times, 6 * MINUTE + 1)).toBe(4);
  });
});

describe('a limit that is changed', () => {
  async function take(text: string, count: number, now = NOON): Promise<void> {
    for (let each = 1; each <= count; each += 1) {
      expect((await call(text, now)).admitted).toBe(true);
    }
  }

  it.each([
    // Eight taken at 12:00, and the limit is 5 at 12:10.
    { before: '10/1h', after: '5/1h', taken: 8, retryAt: NOON + HOUR },
    { before: 'sliding 10/1h', after: 'sliding 5/1h', taken: 8, retryAt: NOON + HOUR },
    // At most the new burst can be missing, and it refills at the new pace: one token in 12 minutes.
    { before: 'bucket 30/1h burst 8', after: 'bucket 5/1h burst 2', taken: 8, retryAt: NOON + 12 * MINUTE },
    { before: 'bucket 10/1h burst 3', after: 'bucket 5/1h burst 3', taken: 3, retryAt: NOON + 12 * MINUTE },
    { before: 'bucket 10/1h burst 8', after: 'bucket 10/1h burst 2', taken: 8, retryAt: NOON + 6 * MINUTE },
  ])('refuses if it is lowered below the count: $before to $after', async ({ before, after, taken, retryAt }) => {
    await take(before, taken);

    const at = NOON + 5 * MINUTE;
    expect(await call(after, at)).toMatchObject({ admitted: false, retryAt, state: { remaining: 0 } });
    expect((await call(after, retryAt - 1)).admitted).toBe(false);
    expect((await call(after, retryAt)).admitted).toBe(true);
  });

  it('returns the time at which fewer sliding slots than the new limit are taken', async () => {
    for (let minute = 0; minute < 6; minute += 1) {
      await take('sliding 10/1h', 1, NOON + minute * MINUTE);
    }
    // Six slots are taken and four are allowed, so three have to become free first.
    const refusal = await call('sliding 4/1h', NOON + 10 * MINUTE);
    expect(refusal).toMatchObject({ admitted: false, retryAt: NOON + HOUR + 2 * MINUTE, state: { remaining: 0 } });
    expect(await call('sliding 4/1h', NOON + HOUR + 2 * MINUTE)).toMatchObject({
      admitted: true,
      state: { remaining: 0 },
    });
  });

  it.each([
    { before: '2/1h', after: '3/1h' },
    { before: 'sliding 2/1h', after: 'sliding 3/1h' },
    { before: 'bucket 2/1h burst 2', after: 'bucket 2000/1h burst 2' },
    { before: 'bucket 10/1h burst 2', after: 'bucket 10/1h burst 3' },
    { before: 'bucket 2/1h burst 2', after: 'bucket 20/1h burst 20' },
  ])('takes effect within two seconds if it is raised: $before to $after', async ({ before, after }) => {
    const limiterOf = (text: string, now: () => number) =>
      createLimiter({ table, scopes: [{ name: 'client', policies: parsePolicies(text), counts: 'each' }], now });
    const old = limiterOf(before, () => NOON);
    for (const admitted of [true, true, false]) {
      expect((await old.reserve('anna')).admitted).toBe(admitted);
    }

    expect((await limiterOf(after, () => NOON + 2_000).reserve('anna')).admitted).toBe(true);
  });
});

describe('released reservations', () => {
  it.each(['10/1h', 'sliding 10/1h', 'bucket 600/1h burst 10'])(
    '%s: ten calls that are released after nine seconds leave the full limit available',
    async (text) => {
      const taken = [];
      for (let each = 1; each <= 10; each += 1) {
        taken.push(await call(text, NOON));
      }
      for (const decision of taken) {
        await (decision.admitted && decision.release(NOON + 9_000));
      }
      expect((await call(text, NOON + 9_000)).state.remaining).toBe(9);
    },
  );

  it.each(['2/1h', 'sliding 2/1h', 'bucket 2/1h burst 2'])(
    '%s: are available again even if a caller whose clock is a millisecond behind has written since',
    async (text) => {
      const edge = NOON + 30_000;
      const mine = await call(text, edge);
      await call(text, edge - 1);
      await (mine.admitted && mine.release(edge));

      expect((await call(text, edge)).admitted).toBe(true);
    },
  );
});
