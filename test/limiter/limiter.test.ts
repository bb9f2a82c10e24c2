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

describe('several limits as one', () => {
  it('cost one write each when all of them admit', async () => {
    await limiterOf('3/1m,10/1h', '500/1d').reserve('anna');

    expect(table.takeRequests()).toEqual(writes(3));
  });

  it("a subject's refusal costs one write and never touches the shared counter", async () => {
    const limiter = limiterOf('1/1h', '500/1d');
    await limiter.reserve('anna');
    table.takeRequests();

    expect(await limiter.reserve('anna')).toMatchObject({ admitted: false, state: { scope: 'client' } });
    expect(table.takeRequests()).toEqual(isDynamoDbLocal ? ['UpdateItem'] : ['UpdateItem', 'GetItem']);
    expect((await table.counters())['global#86400#1767225600']).toBe(1);
  });

  it('a refusal further down gives back what was taken before it', async () => {
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

  it('the longest window is asked first, so that the one which refuses tells the honest time', async () => {
    const limiter = limiterOf('1/1m,1/1h', '500/1d');
    await limiter.reserve('anna');

    expect(await limiter.reserve('anna')).toMatchObject({ retryAt: NOON + HOUR });
  });

  it('a bucket is asked last, so that calls which a window refuses do not drain it', async () => {
    const limiter = limiterOf('bucket 100/1h burst 5,1/1m', '500/1d');
    await limiter.reserve('anna');
    table.takeRequests();

    expect(await limiter.reserve('anna')).toMatchObject({ admitted: false, state: { limit: 1, windowMs: 60_000 } });
    expect(table.takeRequests()).toEqual(isDynamoDbLocal ? ['UpdateItem'] : ['UpdateItem', 'GetItem']);
  });

  it('an exhausted budget refuses everybody and leaves their own limits whole', async () => {
    const limiter = limiterOf('10/1h', '1/1d');
    await limiter.reserve('anna');

    expect(await limiter.reserve('ben')).toMatchObject({ admitted: false, state: { scope: 'global', remaining: 0 } });
    expect((await table.counters())['client#ben#3600#1767268800']).toBe(0);
  });

  it('the nearest to refusing has the fewest remaining, on a tie the later reset', async () => {
    const fewest = await admitted(limiterOf('10/1h', '3/1d').reserve('anna'));
    expect(fewest.nearest).toMatchObject({ scope: 'global', remaining: 2 });

    const tie = await admitted(limiterOf('5/1h,5/1m', '500/1d').reserve('ben'));
    expect(tie.nearest).toMatchObject({ windowMs: HOUR, remaining: 4 });
  });

  it('a release gives back all of it, once, and says what remains then', async () => {
    const admission = await admitted(limiterOf('10/1h', '500/1d').reserve('anna'));

    expect(await admission.release()).toMatchObject({ scope: 'client', remaining: 10 });
    await admission.release();
    expect(await table.counters()).toEqual({ 'client#anna#3600#1767268800': 0, 'global#86400#1767225600': 0 });
  });

  it.each(['4/1h', 'sliding 4/1h', 'bucket 4/1h burst 3'])(
    'after a release under %s tells how it stands then',
    async (text) => {
      const limiter = limiterOf(text, '500/1d');
      await limiter.reserve('anna');
      now += 1_000;
      const admission = await admitted(limiter.reserve('anna'));
      now += 1_000;

      const told = await admission.release();
      const scope = { name: 'client', policies: parsePolicies(text), counts: 'each' as const };
      expect([told]).toEqual(await readLimits(table, scope, 'anna', now));
      expect(await admission.release()).toEqual(told);
    },
  );

  it('an error in the middle gives back what was taken before it', async () => {
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

describe('a refusal that is known', () => {
  it('is repeated without any request, for less than two seconds', async () => {
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

  it('is forgotten at the reopening', async () => {
    now = NOON + HOUR - 500;
    const limiter = limiterOf('1/1h', '500/1d');
    await limiter.reserve('anna');
    await limiter.reserve('anna');

    now = NOON + HOUR - 1;
    expect(limiter.knownRefusal('anna')).toBeDefined();
    now = NOON + HOUR;
    expect(limiter.knownRefusal('anna')).toBeUndefined();
  });

  it("of one subject is not another's; an exhausted budget is everybody's", async () => {
    const limiter = limiterOf('1/1h', '2/1d');
    await limiter.reserve('anna');
    await limiter.reserve('anna');
    expect(limiter.knownRefusal('ben')).toBeUndefined();

    await limiter.reserve('ben');
    await limiter.reserve('cleo');
    expect(limiter.knownRefusal('dora')).toMatchObject({ cached: true, state: { scope: 'global' } });
  });
});
