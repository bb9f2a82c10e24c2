import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Admission,
  createLimiter,
  type Limiter,
  parsePolicies,
  type Rejection,
  readLimits,
} from '../../limiter/index.ts';
import { StoreMisconfiguredError } from '../../limiter/store/store.ts';
import { freshTable, isDynamoDbLocal, type TestTable } from '../support/table.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 0, 1, 12);

let table: TestTable;
let now = NOON;
beforeEach(async () => {
  table = await freshTable();
  now = NOON;
});

function limiterOf(client: string, global: string, target = table): Limiter {
  return createLimiter({
    table: target,
    scopes: [
      { name: 'client', policies: parsePolicies(client), counts: 'each' },
      { name: 'global', policies: parsePolicies(global), counts: 'all' },
    ],
    now: () => now,
  });
}

async function admitted(outcome: Promise<Admission | Rejection>): Promise<Admission> {
  const settled = await outcome;
  if (!settled.admitted) {
    throw new Error(`refused by ${settled.state.scope}`);
  }
  return settled;
}

const writes = (count: number) => Array.from({ length: count }, () => 'UpdateItem');

describe('several limits together', () => {
  it('need one write each if all of them admit', async () => {
    await limiterOf('3/1m,10/1h', '500/1d').reserve('anna');

    expect(table.takeRequests()).toEqual(writes(3));
  });

  it("a refusal by a subject's own limit needs one write and does not change the shared counter", async () => {
    const limiter = limiterOf('1/1h', '500/1d');
    await limiter.reserve('anna');
    table.takeRequests();

    expect(await limiter.reserve('anna')).toMatchObject({ admitted: false, state: { scope: 'client' } });
    expect(table.takeRequests()).toEqual(isDynamoDbLocal ? ['UpdateItem'] : ['UpdateItem', 'GetItem']);
    expect((await table.counters())['global#86400#1767225600']).toBe(1);
  });

  it('a refusal releases the reservations made before it', async () => {
    const limiter = limiterOf('1/1m,10/1h', '500/1d');
    await limiter.reserve('anna');

    const refusal = await limiter.reserve('anna');
    expect(refusal).toMatchObject({ admitted: false, retryAt: NOON + 60_000, state: { limit: 1 } });
    expect(await table.counters()).toEqual({
      'client#anna#3600#1767268800': 1,
      'client#anna#60#1767268800': 1,
      'global#86400#1767225600': 1,
    });
  });

  it('the longest window is checked first, so that retryAt is correct', async () => {
    const limiter = limiterOf('1/1m,1/1h', '500/1d');
    await limiter.reserve('anna');

    expect(await limiter.reserve('anna')).toMatchObject({ retryAt: NOON + HOUR });
  });

  it('a bucket is checked last, so that calls which a window refuses take no tokens', async () => {
    const limiter = limiterOf('bucket 100/1h burst 5,1/1m', '500/1d');
    await limiter.reserve('anna');
    table.takeRequests();

    expect(await limiter.reserve('anna')).toMatchObject({ admitted: false, state: { limit: 1, windowMs: 60_000 } });
    expect(table.takeRequests()).toEqual(isDynamoDbLocal ? ['UpdateItem'] : ['UpdateItem', 'GetItem']);
  });

  it('an exhausted shared limit refuses every subject and does not change their own limits', async () => {
    const limiter = limiterOf('10/1h', '1/1d');
    await limiter.reserve('anna');

    expect(await limiter.reserve('ben')).toMatchObject({ admitted: false, state: { scope: 'global', remaining: 0 } });
    expect((await table.counters())['client#ben#3600#1767268800']).toBe(0);
  });

  it('nearest is the limit with the fewest remaining; on a tie, the one with the later reset', async () => {
    const fewest = await admitted(limiterOf('10/1h', '3/1d').reserve('anna'));
    expect(fewest.nearest).toMatchObject({ scope: 'global', remaining: 2 });

    const tie = await admitted(limiterOf('5/1h,5/1m', '500/1d').reserve('ben'));
    expect(tie.nearest).toMatchObject({ windowMs: HOUR, remaining: 4 });
  });

  it('a release releases all reservations, once, and returns what remains', async () => {
    const admission = await admitted(limiterOf('10/1h', '500/1d').reserve('anna'));

    expect(await admission.release()).toMatchObject({ scope: 'client', remaining: 10 });
    await admission.release();
    expect(await table.counters()).toEqual({ 'client#anna#3600#1767268800': 0, 'global#86400#1767225600': 0 });
  });

  it.each(['4/1h', 'sliding 4/1h', 'bucket 4/1h burst 3'])(
    'a release under %s returns the state after the release',
    async (text) => {
      const limiter = limiterOf(text, '500/1d');
      await limiter.reserve('anna');
      now += 1_000;
      const admission = await admitted(limiter.reserve('anna'));
      now += 1_000;

      const released = await admission.release();
      const scope = { name: 'client', policies: parsePolicies(text), counts: 'each' as const };
      expect([released]).toEqual(await readLimits(table, scope, 'anna', now));
      expect(await admission.release()).toEqual(released);
    },
  );

  it('an error releases the reservations made before it', async () => {
    const limiter = limiterOf('10/1h', '500/1d');
    table.client.middlewareStack.add(
      (next) => (args) => {
        if (JSON.stringify(args.input).includes('global')) {
          throw Object.assign(new Error('no'), { name: 'AccessDeniedException', $fault: 'client' });
        }
        return next(args);
      },
      { step: 'initialize', name: 'denyGlobal' },
    );

    await expect(limiter.reserve('anna')).rejects.toThrow(StoreMisconfiguredError);
    expect(await table.counters()).toEqual({ 'client#anna#3600#1767268800': 0 });
  });
});

describe('a cached refusal', () => {
  it('is returned without any request, for less than two seconds', async () => {
    const limiter = limiterOf('1/1h', '500/1d');
    await limiter.reserve('anna');
    await limiter.reserve('anna');
    table.takeRequests();

    now += 1_999;
    expect(limiter.knownRefusal('anna')).toMatchObject({ cached: true, retryAt: NOON + HOUR, state: { remaining: 0 } });
    now += 1;
    expect(limiter.knownRefusal('anna')).toBeUndefined();
    expect(table.takeRequests()).toEqual([]);
  });

  it('is removed at its retryAt', async () => {
    now = NOON + HOUR - 500;
    const limiter = limiterOf('1/1h', '500/1d');
    await limiter.reserve('anna');
    await limiter.reserve('anna');

    now = NOON + HOUR - 1;
    expect(limiter.knownRefusal('anna')).toBeDefined();
    now = NOON + HOUR;
    expect(limiter.knownRefusal('anna')).toBeUndefined();
  });

  it('applies to its subject only; a refusal by the shared limit applies to all subjects', async () => {
    const limiter = limiterOf('1/1h', '2/1d');
    await limiter.reserve('anna');
    await limiter.reserve('anna');
    expect(limiter.knownRefusal('ben')).toBeUndefined();

    await limiter.reserve('ben');
    await limiter.reserve('cleo');
    expect(limiter.knownRefusal('dora')).toMatchObject({ cached: true, state: { scope: 'global' } });
  });
});
