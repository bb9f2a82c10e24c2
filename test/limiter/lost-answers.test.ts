import { beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../limiter/decision.ts';
import { reserveInFixedWindow } from '../../limiter/fixed-window.ts';
import type { FixedPolicy } from '../../limiter/policy.ts';
import { StoreUnavailableError } from '../../limiter/store.ts';
import { freshTable, type TestTable } from '../support/table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const TWO_AN_HOUR: FixedPolicy = { algorithm: 'fixed', limit: 2, windowMs: 3_600_000 };
const EACH: Scope = { name: 'client', policies: [TWO_AN_HOUR], counts: 'each' };
const ALL: Scope = { name: 'global', policies: [TWO_AN_HOUR], counts: 'all' };

let table: TestTable;
/** How many of the next answers get lost on their way, after DynamoDB has applied the write. */
let toLose = 0;
/** What becomes of them: nothing of them arrives, or they break off behind their status. */
const LOST = { code: 'ECONNRESET' };
const BROKEN_OFF = { ...LOST, $metadata: { httpStatusCode: 200 } };
let loss: object = LOST;

beforeAll(async () => {
  table = await freshTable();
  table.client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (toLose > 0) {
        toLose -= 1;
        throw Object.assign(new Error('socket hang up'), loss);
      }
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'loseAnswers' },
  );
});

const reserve = (scope: Scope, subject: string) => reserveInFixedWindow(table, scope, TWO_AN_HOUR, subject, NOON);

async function losing<Result>(count: number, action: () => Promise<Result>, how: object = LOST): Promise<Result> {
  toLose = count;
  loss = how;
  try {
    return await action();
  } finally {
    toLose = 0;
  }
}

async function counterOf(subject: string): Promise<number | undefined> {
  return (await table.counters())[`client#${subject}#3600#${NOON / 1_000}`];
}

describe('when the answer to a write is lost', () => {
  it("the SDK's repeat of a subject's reservation counts once and is admitted", async () => {
    const decision = await losing(1, () => reserve(EACH, 'repeat'));

    expect(decision.admitted).toBe(true);
    expect(await counterOf('repeat')).toBe(1);
  });

  it('a reservation that took the last place is not refused by its own repeat', async () => {
    await reserve(EACH, 'last');
    const decision = await losing(1, () => reserve(EACH, 'last'));

    expect(decision).toMatchObject({ admitted: true, state: { remaining: 0 } });
    expect(await counterOf('last')).toBe(2);
  });

  it('another caller in between changes nothing of that', async () => {
    const decisions = await losing(1, () => Promise.all([reserve(EACH, 'between'), reserve(EACH, 'between')]));

    expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true]);
    expect(await counterOf('between')).toBe(2);
    expect((await reserve(EACH, 'between')).admitted).toBe(false);
  });

  it('a repeated release frees one place, not two', async () => {
    const [first] = [await reserve(EACH, 'freed'), await reserve(EACH, 'freed')];
    await losing(1, async () => first?.admitted && (await first.release(NOON)));

    expect(await counterOf('freed')).toBe(1);
  });

  it.each([
    ['lost', LOST, 1_800],
    ['broken off behind its status', BROKEN_OFF, 1_801],
  ])('a write to the shared counter is not repeated: %s, it fails, and its count stands', async (_, how, seconds) => {
    const policy: FixedPolicy = { ...TWO_AN_HOUR, windowMs: seconds * 1_000 };
    const attempt = () => reserveInFixedWindow(table, ALL, policy, '', 0);
    table.takeRequests();
    await expect(losing(1, attempt, how)).rejects.toThrow(StoreUnavailableError);

    expect(table.takeRequests()).toEqual(['UpdateItem']);
    expect((await table.counters())[`global#${seconds}#0`]).toBe(1);
  });
});
