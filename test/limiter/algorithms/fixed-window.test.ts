import { beforeAll, describe, expect, it } from 'vitest';
import { reserveInFixedWindow } from '../../../limiter/algorithms/fixed-window.ts';
import type { Decision, Scope } from '../../../limiter/policy/decision.ts';
import type { FixedPolicy } from '../../../limiter/policy/policy.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 0, 1, 12);
const TEN_AN_HOUR: FixedPolicy = { algorithm: 'fixed', limit: 10, windowMs: HOUR };
const EACH: Scope = { name: 'client', policies: [TEN_AN_HOUR], counts: 'each' };
const ALL: Scope = { name: 'global', policies: [TEN_AN_HOUR], counts: 'all' };

let table: TestTable;
beforeAll(async () => {
  table = await freshTable();
});

async function reserve(subject: string, now = NOON, scope = EACH, policy = TEN_AN_HOUR): Promise<Decision> {
  return await reserveInFixedWindow(table, scope, policy, subject, now);
}

async function reserveTimes(count: number, subject: string, now = NOON): Promise<Decision[]> {
  return await Promise.all(Array.from({ length: count }, () => reserve(subject, now)));
}

async function counterOf(subject: string, window = NOON): Promise<number | undefined> {
  return (await table.counters())[`client#${subject}#3600#${window / 1_000}`];
}

describe('a fixed window', () => {
  it('returns the remaining admissions and the reset time', async () => {
    const decision = await reserve('remaining', NOON + 61_000);

    expect(decision.state).toEqual({ scope: 'client', limit: 10, windowMs: HOUR, remaining: 9, resetAt: NOON + HOUR });
  });

  it('admits up to the limit, then refuses until the next window', async () => {
    for (let call = 1; call <= 10; call++) {
      expect(await reserve('sequence')).toMatchObject({ admitted: true, state: { remaining: 10 - call } });
    }
    expect(await reserve('sequence', NOON + HOUR - 1)).toMatchObject({
      admitted: false,
      retryAt: NOON + HOUR,
      state: { remaining: 0, resetAt: NOON + HOUR },
    });
  });

  it('is not changed by refused calls, however many there are', async () => {
    await reserveTimes(10, 'hammered');
    await reserveTimes(100, 'hammered');

    expect(await counterOf('hammered')).toBe(10);
  });

  it('starts again at zero when the clock passes its end', async () => {
    await reserveTimes(10, 'turn', NOON + HOUR - 1);

    expect((await reserve('turn', NOON + HOUR - 1)).admitted).toBe(false);
    expect((await reserve('turn', NOON + HOUR)).admitted).toBe(true);
  });

  it('admits exactly the limit of 200 concurrent callers', async () => {
    const decisions = await reserveTimes(200, 'crowd');

    expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(10);
    expect(await counterOf('crowd')).toBe(10);
  });

  it('counts each subject separately, or all subjects together, depending on the scope', async () => {
    await reserveTimes(10, 'anna');
    expect((await reserve('ben')).admitted).toBe(true);

    for (let call = 1; call <= 10; call++) {
      await reserve(`someone-${call}`, NOON, ALL);
    }
    expect((await reserve('someone-else', NOON, ALL)).admitted).toBe(false);
  });

  it('needs one write for an admission and one for a refusal', async () => {
    await reserveTimes(9, 'cost');
    table.takeRequests();

    expect((await reserve('cost')).admitted).toBe(true);
    expect(table.takeRequests()).toEqual(['UpdateItem']);

    expect((await reserve('cost')).admitted).toBe(false);
    expect(table.takeRequests()).toEqual(['UpdateItem']);
  });

  it('refuses with nothing remaining if its limit was lowered below the count', async () => {
    await reserveTimes(8, 'lowered');

    const lowered: FixedPolicy = { ...TEN_AN_HOUR, limit: 5 };
    expect(await reserve('lowered', NOON, EACH, lowered)).toMatchObject({
      admitted: false,
      state: { limit: 5, remaining: 0 },
      retryAt: NOON + HOUR,
    });
  });

  it('keeps its item until after the window has ended', async () => {
    await reserve('expiry');

    const item = (await table.items()).find(({ pk }) => pk?.S?.includes('expiry'));
    expect(Number(item?.['expires_at']?.N)).toBe((NOON + HOUR) / 1_000 + 3_600);
  });
});

describe('the ids in an item', () => {
  const LATER = NOON + 60_000;

  it.each([
    { limit: 100, are: 'are all kept', ids: 2 },
    { limit: 101, are: 'of two generations ago are removed', ids: 1 },
  ])('with a limit of $limit $are', async ({ limit, ids }) => {
    const policy = { ...TEN_AN_HOUR, limit };
    await reserve(`ids-${limit}`, NOON, EACH, policy);
    await reserve(`ids-${limit}`, LATER, EACH, policy);

    const item = (await table.items()).find(({ pk }) => pk?.S?.includes(`ids-${limit}`));
    expect(Object.values(item ?? {}).flatMap(({ SS = [] }) => SS)).toHaveLength(ids);
    expect(item?.['cnt']).toEqual({ N: '2' });
  });
});

describe.each([
  { scope: EACH, key: 'client#SUBJECT' },
  { scope: ALL, key: 'global' },
])('a release in the scope $scope.name', ({ scope, key }) => {
  // The shared counter is one item, so this test uses a window of its own.
  const policy = { ...TEN_AN_HOUR, windowMs: scope === ALL ? 2 * HOUR : HOUR };
  const counter = async (subject: string) =>
    (await table.counters())[`${key.replace('SUBJECT', subject)}#${policy.windowMs / 1_000}#${NOON / 1_000}`];

  it('decrements the counter once, however often it is called', async () => {
    const first = await reserve('release', NOON, scope, policy);
    const second = await reserve('release', NOON, scope, policy);
    expect(first.admitted && second.admitted).toBe(true);

    if (first.admitted) {
      await first.release(NOON);
      await first.release(NOON);
      await Promise.all([first.release(NOON), first.release(NOON)]);
    }
    expect(await counter('release')).toBe(1);
  });
});

describe('a release', () => {
  it('applies to the window of the reservation, not to the current one', async () => {
    const late = await reserve('late', NOON + HOUR - 1);
    await reserve('late', NOON + HOUR);

    if (late.admitted) {
      await late.release(NOON);
    }
    expect(await counterOf('late')).toBe(0);
    expect(await counterOf('late', NOON + HOUR)).toBe(1);
  });

  it('never decrements a counter below zero', async () => {
    const decision = await reserve('zero');
    const again = await reserve('zero');
    if (decision.admitted && again.admitted) {
      await decision.release(NOON);
      await again.release(NOON);
      await decision.release(NOON);
    }
    expect(await counterOf('zero')).toBe(0);
  });
});
