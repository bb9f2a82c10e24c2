import { beforeEach, describe, expect, it } from 'vitest';
import type { Verdict } from '../../../lambda/answers/verdict.ts';
import { issueSession } from '../../../lambda/session/issue-session.ts';
import { type Issuer, warmUp } from '../../../lambda/session/issuer.ts';
import type { Trace } from '../../../lambda/trace.ts';
import { losing, losingProxy } from '../../limiter/proofs/losing-proxy.ts';
import { testIssuer } from '../../support/issuer.ts';
import { writeSwitch } from '../../support/switch.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const KEY = 'a-key-of-one-visitor';
const ANNA = '203.0.113.1';
const BEN = '203.0.113.2';

let table: TestTable;
let now = NOON;
let minted = 0;
/** Runs between the request to OpenAI and its response. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve();
let status = 200;
let issuer: Issuer;

beforeEach(async () => {
  table = await freshTable();
  now = NOON;
  minted = 0;
  status = 200;
  meanwhile = () => Promise.resolve();
  issuer = await container();
});

async function container(): Promise<Issuer> {
  const fresh = testIssuer({
    table,
    environment: { CLIENT_LIMITS: '2/1h' },
    now: () => now,
    fetch: async () => {
      minted += 1;
      const value = `ek_${minted}`;
      await meanwhile();
      const session = { type: 'realtime', model: 'a-model' };
      return Response.json({ value, expires_at: now / 1_000 + 60, session }, { status });
    },
  });
  await warmUp(fresh);
  table.takeRequests();
  return fresh;
}

async function ask(
  idempotencyKey: string | undefined,
  address = ANNA,
  trace: Trace = {},
  from = issuer,
): Promise<Verdict> {
  return await issueSession({ address, idempotencyKey }, from, trace);
}

const value = (verdict: Verdict) => (verdict.code === 'issued' ? verdict.key.value : verdict.code);
const counter = async () => Math.max(0, ...Object.values(await table.counters()));

describe('a repeated request with the same Idempotency-Key', () => {
  it('gets the same key and the same limit, and counts once', async () => {
    const first = await ask(KEY);
    expect(await ask(KEY)).toEqual({ ...first, replayed: true });
    expect(await ask(KEY)).toEqual({ ...first, replayed: true });
    expect(minted).toBe(1);
    expect(await counter()).toBe(1);
  });

  it('gets the same key from another container', async () => {
    await ask(KEY);

    expect(await ask(KEY, ANNA, {}, await container())).toMatchObject({ key: { value: 'ek_1' }, replayed: true });
  });

  it('gets the same key at the limit, where any other request is refused', async () => {
    await ask(KEY);
    await ask('another-key-of-hers');
    expect((await ask(undefined)).code).toBe('rate_limited');
    expect((await ask('a-third-key-of-hers')).code).toBe('rate_limited');

    expect(value(await ask(KEY))).toBe('ek_1');
  });

  it('gets replay_in_progress while the first is being served', async () => {
    let repeat: Verdict | undefined;
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      repeat = await ask(KEY);
    };

    expect(value(await ask(KEY))).toBe('ek_1');
    expect(repeat).toEqual({ code: 'replay_in_progress', retryAt: NOON + 1_000 });
    expect(await counter()).toBe(1);
  });

  it('is served once of 20 concurrent ones', async () => {
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => ask(KEY)));

    expect(minted).toBe(1);
    expect(await counter()).toBe(1);
    expect(new Set(verdicts.map(value))).toEqual(new Set(['ek_1', 'replay_in_progress']));
  });

  it('of another visitor gets a key of its own', async () => {
    await ask(KEY, ANNA);

    expect(await ask(KEY, BEN)).toMatchObject({ key: { value: 'ek_2' }, replayed: false });
  });

  it('gets no key after a pause', async () => {
    await ask(KEY);
    await writeSwitch(table, { paused: true, since: 0, by: 'me', message: { ja: undefined, en: undefined } });

    expect((await ask(KEY)).code).toBe('paused');
  });

  it.each([
    [54_999, 'ek_1'],
    [55_000, 'ek_2'],
    [60_000, 'ek_2'],
  ])('%d ms later gets %s: a key is not returned again in its last 5 s', async (later, expected) => {
    await ask(KEY);
    now += later;

    expect(value(await ask(KEY))).toBe(expected);
  });

  it('is served as a new request after a failure, which is not stored', async () => {
    status = 400;
    expect((await ask(KEY)).code).toBe('upstream_refused');
    status = 200;

    expect(await ask(KEY)).toMatchObject({ code: 'issued', replayed: false });
    expect(await counter()).toBe(1);
  });

  it('is served as a new request after a refusal, when the window has passed', async () => {
    await ask(undefined);
    await ask(undefined);
    expect((await ask(KEY)).code).toBe('rate_limited');
    now += 3_600_000;

    expect((await ask(KEY)).code).toBe('issued');
  });

  it('is locked by a dead container for at most the function timeout', async () => {
    const dying = testIssuer({ table, now: () => now, fetch: () => new Promise(() => undefined) });
    void ask(KEY, ANNA, {}, dying);
    await expect.poll(async () => (await table.items()).some(({ held_by }) => held_by !== undefined)).toBe(true);

    now += 14_999;
    expect((await ask(KEY)).code).toBe('replay_in_progress');
    now += 1;
    expect((await ask(KEY)).code).toBe('issued');
  });
});

describe('the requests to DynamoDB', () => {
  it('without the header, nothing is stored and no request is added', async () => {
    await ask(undefined);

    expect(table.takeRequests()).toEqual(['BatchGetItem', 'UpdateItem', 'UpdateItem']);
    expect((await table.items()).filter(({ pk }) => pk?.S?.startsWith('replay'))).toEqual([]);
  });

  it('with the header, a key needs two more writes, and a repeat needs one read', async () => {
    await ask(KEY);
    expect(table.takeRequests()).toEqual(['BatchGetItem', ...Array.from({ length: 4 }, () => 'UpdateItem')]);

    await ask(KEY);
    expect(table.takeRequests()).toEqual(['BatchGetItem']);
  });
});

describe('somebody with access to the table', () => {
  it('can read neither the answer nor the Idempotency-Key', async () => {
    await ask(KEY);

    const text = JSON.stringify(await table.items(), (_, part) =>
      part instanceof Uint8Array ? Buffer.from(part).toString('latin1') : part,
    );
    expect(text).toContain('sealed');
    expect(text).not.toMatch(/ek_1|a-model|a-key-of-one-visitor/);
  });

  it('can only make an answer unreadable by changing it', async () => {
    await ask(KEY);
    const [sealed] = (await table.items()).filter(({ sealed }) => sealed !== undefined);
    sealed?.['sealed']?.B?.set([0], 20);
    await table.put({ ...sealed });

    expect(await ask(KEY)).toMatchObject({ code: 'replay_in_progress' });
  });
});

describe('when an answer cannot be stored', () => {
  it('the visitor still gets the key, and the log contains the error', async () => {
    table.client.middlewareStack.add(
      (next) => (args) => {
        if (JSON.stringify(args.input).includes('usable_until = :usable_until')) {
          throw Object.assign(new Error('down'), { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } });
        }
        return next(args);
      },
      { step: 'initialize', name: 'noMemory' },
    );
    const trace: Trace = {};

    expect(value(await ask(KEY, ANNA, trace))).toBe('ek_1');
    expect(trace.replayFailed).toContain('InternalServerError');
  });

  it('because the lock expired and a repeat was served meanwhile, the log contains the reason', async () => {
    const trace: Trace = {};
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      now += 15_000;
      expect(value(await ask(KEY))).toBe('ek_2');
    };

    expect(value(await ask(KEY, ANNA, trace))).toBe('ek_1');
    expect(trace.replayFailed).toContain('The lock expired');
    expect(value(await ask(KEY))).toBe('ek_2');
  });
});

it('an answer is stored if the response to the write was lost, and nothing is logged', async () => {
  const proxy = await losingProxy();
  table = await freshTable({ endpoint: proxy.endpoint, maxAttempts: 2 });
  issuer = await container();
  const trace: Trace = {};
  meanwhile = () => {
    proxy.lose = losing(1);
    return Promise.resolve();
  };
  const first = await ask(KEY, ANNA, trace);

  expect(proxy.lost).toBe(1);
  expect(trace).not.toHaveProperty('replayFailed');
  expect(await ask(KEY).finally(proxy.close)).toEqual({ ...first, replayed: true });
});
