import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reserveUnder } from '../../../limiter/algorithms/algorithms.ts';
import type { Decision, Reservation, Scope } from '../../../limiter/policy/decision.ts';
import { type Policy, parsePolicies } from '../../../limiter/policy/policy.ts';
import { StoreUnavailableError } from '../../../limiter/store/store.ts';
import { freshTable, type TestTable } from '../../support/table.ts';
import { type LosingProxy, losing, losingEvery, losingProxy } from './losing-proxy.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

let proxy: LosingProxy;
let table: TestTable;
beforeEach(async () => {
  proxy = await losingProxy();
  table = await freshTable({ endpoint: proxy.endpoint, maxAttempts: 2 });
});
afterEach(() => proxy.close());

const ALGORITHMS = ['2/1h', 'sliding 2/1h', 'bucket 2/1h burst 2'].map((text) => ({ text, policy: policyOf(text) }));
const BOTH_SCOPES = ALGORITHMS.flatMap((algorithm) => [
  { ...algorithm, counts: 'each' as const },
  { ...algorithm, counts: 'all' as const },
]);

function policyOf(text: string): Policy {
  const [policy] = parsePolicies(text);
  if (policy === undefined) {
    throw new TypeError(`no limit: ${text}`);
  }
  return policy;
}

function reserve(policy: Policy, counts: Scope['counts'] = 'each', now = NOON): Promise<Decision> {
  return reserveUnder(table, { name: 'client', policies: [policy], counts }, policy, 'anna', now);
}

/** Reserves until refused. @returns the number of admissions */
async function takeTheRest(policy: Policy, counts: Scope['counts'] = 'each', now = NOON): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const { admitted } = await reserve(policy, counts, now);
    if (!admitted) {
      return taken;
    }
  }
}

describe.each(ALGORITHMS)('when the response to a write is lost, $text', ({ policy }) => {
  it.each(['all of it', 'the rest of it'] as const)('(%s) counts the retried reservation once', async (loss) => {
    proxy.lose = losing(1, loss);

    expect(await reserve(policy)).toMatchObject({ admitted: true, state: { remaining: 1 } });
    expect(proxy.lost).toBe(1);
    expect(await takeTheRest(policy)).toBe(1);
  });

  it('does not refuse the retry of the reservation that took the last place', async () => {
    await reserve(policy);
    proxy.lose = losing(1);

    expect(await reserve(policy)).toMatchObject({ admitted: true, state: { remaining: 0 } });
    expect((await reserve(policy)).admitted).toBe(false);
  });

  it('recognises the retry after another caller has written in between', async () => {
    proxy.lose = losing(1);
    const decisions = await Promise.all([reserve(policy), reserve(policy)]);

    expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true]);
    expect((await reserve(policy)).admitted).toBe(false);
  });

  it.each(['all of it', 'the rest of it'] as const)(
    '(%s) releases one reservation with a retried release',
    async (loss) => {
      const first = await reserve(policy);
      await reserve(policy);
      proxy.lose = losing(1, loss);
      await (first.admitted && first.release(NOON));

      expect(proxy.lost).toBe(1);
      expect(await takeTheRest(policy)).toBe(1);
    },
  );
});

describe('a fixed window that refuses', () => {
  const policy = policyOf('1/1h');

  it('reads its item only after a retry, to see whether the reservation is its own', async () => {
    proxy.lose = losing(1);
    expect((await reserve(policy)).admitted).toBe(true);
    expect(table.takeRequests()).toEqual(['UpdateItem', 'UpdateItem', 'GetItem']);

    expect((await reserve(policy)).admitted).toBe(false);
    expect(table.takeRequests()).toEqual(['UpdateItem']);
  });
});

describe.each(['2/1h', 'bucket 2/1h burst 2'].map((text) => ({ text, policy: policyOf(text) })))(
  'when the response to a write to the shared counter is lost, $text',
  ({ policy }) => {
    it.each(['all of it', 'the rest of it'] as const)(
      '(%s) fails without a retry, and the reservation stays counted',
      async (loss) => {
        proxy.lose = losing(1, loss);
        await expect(reserve(policy, 'all')).rejects.toThrow(StoreUnavailableError);

        expect(table.takeRequests()).toEqual(['UpdateItem']);
        expect(await takeTheRest(policy, 'all')).toBe(1);
      },
    );

    it('decrements once with a release that fails, however often it is called', async () => {
      const first = await reserve(policy, 'all');
      await reserve(policy, 'all');
      proxy.lose = losing(1);
      for (let call = 1; call <= 3; call += 1) {
        await expect(first.admitted && first.release(NOON)).rejects.toThrow(StoreUnavailableError);
      }
      expect(await takeTheRest(policy, 'all')).toBe(1);
    });
  },
);

describe('the shared slots of a sliding window', () => {
  it('store the ids of their reservations, so a retry is recognised there too', async () => {
    const policy = policyOf('sliding 2/1h');
    proxy.lose = losing(1);

    expect(await reserve(policy, 'all')).toMatchObject({ admitted: true, state: { remaining: 1 } });
  });
});

describe.each(BOTH_SCOPES)(
  'with every third response lost, $text in a scope that counts $counts',
  ({ text, counts }) => {
    const LIMIT = 20;
    const policy = policyOf(text.replaceAll('2', String(LIMIT)));

    it('never exceeds its limit, loses at most one reservation per lost response, and releases none twice', async () => {
      proxy.lose = losingEvery(3);
      const held = new Set<Reservation>();
      // A failed call may leave a reservation that is never released.
      let failures = 0;
      const unlessLost = async (call: () => Promise<void>) => {
        await call().catch((error: unknown) => {
          expect(error).toBeInstanceOf(StoreUnavailableError);
          failures += 1;
        });
      };
      const takeOne = () =>
        unlessLost(async () => {
          const decision = await reserve(policy, counts);
          if (decision.admitted) {
            held.add(decision);
          }
        });
      const giveOne = () =>
        unlessLost(async () => {
          const [one] = held;
          if (one !== undefined) {
            held.delete(one);
            await one.release(NOON);
            await one.release(NOON);
          }
        });

      for (let round = 1; round <= 8; round += 1) {
        await Promise.all([takeOne(), takeOne(), takeOne(), takeOne()]);
        expect(held.size).toBeLessThanOrEqual(LIMIT);
        await Promise.all([giveOne(), giveOne()]);
      }

      const { lost } = proxy;
      proxy.lose = () => 'no';
      const rest = await takeTheRest(policy, counts);
      expect(lost).toBeGreaterThan(5);
      expect(held.size + rest).toBeLessThanOrEqual(LIMIT);
      expect(held.size + rest).toBeGreaterThanOrEqual(LIMIT - lost);
      // A limit whose writes have ids loses no reservation.
      expect(held.size + rest).toBeGreaterThanOrEqual(LIMIT - failures);
    });
  },
);
