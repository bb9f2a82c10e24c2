import { beforeEach, describe, expect, it } from 'vitest';
import { blockKey, writeBlock } from '../../../lambda/gate/block.ts';
import { issueSession } from '../../../lambda/session/issue-session.ts';
import type { Issuer } from '../../../lambda/session/issuer.ts';
import { viewerId } from '../../../lambda/visitor/viewer.ts';
import { testIssuer } from '../../support/issuer.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const ANNA = '203.0.113.1';
const WITHOUT_WORDS = { ja: undefined, en: undefined };

let table: TestTable;
let now = NOON;
let issuer: Issuer;
beforeEach(async () => {
  table = await freshTable();
  now = NOON;
  const key = () => ({ value: 'ek_1', expires_at: now / 1_000 + 60, session: { type: 'realtime', model: 'a-model' } });
  issuer = testIssuer({ table, now: () => now, fetch: () => Promise.resolve(Response.json(key())) });
});

const ask = (address = ANNA, idempotencyKey?: string) => issueSession({ address, idempotencyKey }, issuer, {});
const anna = async () => viewerId(ANNA, issuer.ipv6Prefix, await issuer.salt());

describe('a block', () => {
  it('takes effect with the next request, until its end, for its visitor only', async () => {
    expect((await ask()).code).toBe('issued');
    await writeBlock(table, await anna(), { until: NOON + 1_000, message: { ja: '停止中です。', en: 'Please stop.' } });

    expect(await ask()).toMatchObject({ code: 'blocked', message: { en: 'Please stop.' } });
    expect((await ask('203.0.113.2')).code).toBe('issued');
    now += 1_000;
    expect((await ask()).code).toBe('issued');
  });

  it('changes no limit, and is checked before a stored answer is returned', async () => {
    const key = 'one-press-of-hers';
    await ask(ANNA, key);
    await writeBlock(table, await anna(), { until: NOON + 1_000, message: WITHOUT_WORDS });

    expect((await ask(ANNA, key)).code).toBe('blocked');
    expect(Object.values(await table.counters())).toEqual([1, 1]);
  });

  it('is removed by writing a block that has ended', async () => {
    await writeBlock(table, await anna(), { until: NOON + 1_000, message: WITHOUT_WORDS });
    await writeBlock(table, await anna(), { until: 0, message: WITHOUT_WORDS });

    expect((await ask()).code).toBe('issued');
  });

  it('without a readable end time never ends', async () => {
    await table.put({ pk: { S: blockKey(await anna()) }, blocked_until: { S: 'tomorrow' } });

    expect((await ask()).code).toBe('blocked');
  });
});
