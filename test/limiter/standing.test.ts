import { beforeEach, describe, expect, it } from 'vitest';
import { createLimiter, forget, parsePolicies, readLimits, type Scope } from '../../limiter/index.ts';
import { freshTable, type TestTable } from '../support/table.ts';

const NOW = Date.parse('2026-11-30T10:20:00Z');
const POLICIES = ['3/1h', 'sliding 3/1h', 'bucket 3/1h burst 3', '5/1m,3/1h'];

let table: TestTable;
beforeEach(async () => {
  table = await freshTable();
});

function scopeOf(policies: string, counts: Scope['counts'] = 'each'): Scope {
  return { name: 'client', policies: parsePolicies(policies), counts };
}

const limiterOf = (scope: Scope) => createLimiter({ table, scopes: [scope], now: () => NOW });

describe.each(POLICIES)('under %s', (text) => {
  it.each(['each', 'all'] as const)(
    'the state that is read is the state of the last reservation, in a scope that counts %s',
    async (counts) => {
      const scope = scopeOf(text, counts);
      const limiter = limiterOf(scope);
      await limiter.reserve('a', NOW + 1_000);
      const place = await limiter.reserve('a', NOW + 1_000);

      const states = await readLimits(table, scope, 'a', NOW);
      expect(states).toHaveLength(scope.policies.length);
      expect(states).toContainEqual(place.admitted ? place.nearest : undefined);
    },
  );

  it('reading reserves nothing, and a subject without calls has the full limit', async () => {
    const scope = scopeOf(text);
    for (let reading = 0; reading < 5; reading += 1) {
      expect((await readLimits(table, scope, 'a', NOW)).every(({ remaining, limit }) => remaining === limit)).toBe(
        true,
      );
    }
    expect(await table.items()).toEqual([]);
  });

  it('forget resets the limits, for that subject only', async () => {
    const scope = scopeOf(text);
    for (const subject of ['a', 'a', 'a', 'b']) {
      expect((await limiterOf(scope).reserve(subject, NOW + 1_000)).admitted).toBe(true);
    }
    expect((await limiterOf(scope).reserve('a', NOW + 1_000)).admitted).toBe(false);
    const [othersBefore] = await readLimits(table, scope, 'b', NOW);

    expect(await forget(table, scope, 'a', NOW)).toBe(scope.policies.length);
    expect(await forget(table, scope, 'a', NOW)).toBe(0);
    expect((await limiterOf(scope).reserve('a', NOW + 1_000)).admitted).toBe(true);
    expect((await readLimits(table, scope, 'b', NOW))[0]).toEqual(othersBefore);
  });

  it('releasing a reservation after forget does not count below zero', async () => {
    const scope = scopeOf(text);
    const place = await limiterOf(scope).reserve('a', NOW + 1_000);
    await forget(table, scope, 'a', NOW);
    if (place.admitted) {
      await place.release();
    }
    expect((await readLimits(table, scope, 'a', NOW)).every(({ remaining, limit }) => remaining === limit)).toBe(true);
  });
});
