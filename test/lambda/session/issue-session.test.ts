import { beforeEach, describe, expect, it } from 'vitest';
import { INIT_UNTIL_MS } from '../../../contract/times.ts';
import type { Verdict } from '../../../lambda/answers/verdict.ts';
import { issueSession } from '../../../lambda/session/issue-session.ts';
import { type Issuer, warmUp } from '../../../lambda/session/issuer.ts';
import type { Trace } from '../../../lambda/trace.ts';
import { createFakeClock } from '../../resilience/fake-clock.ts';
import { testIssuer } from '../../support/issuer.ts';
import { writeSwitch } from '../../support/switch.ts';
import { freshTable, isDynamoDbLocal, type TestTable } from '../../support/table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const KEY = { value: 'ek_test', expires_at: NOON / 1_000 + 60, session: { type: 'realtime', model: 'a-model' } };
const minted = () => Promise.resolve(Response.json(KEY));
const PAUSED = { paused: true, since: undefined, by: undefined, message: { ja: undefined, en: undefined } } as const;

let table: TestTable;
let now = NOON;
/** OpenAI's responses in order. The last one repeats. */
let openai: (() => Promise<Response>)[] = [];
/** The value of the SSM parameter. */
let parameter: string | Error = 'sk-test';

beforeEach(async () => {
  table = await freshTable();
  now = NOON;
  openai = [minted];
  parameter = 'sk-test';
});

async function issuerWith(environment: Record<string, string> = {}): Promise<Issuer> {
  const issuer = testIssuer({
    table,
    environment: { CLIENT_LIMITS: '2/1h', ...environment },
    parameter: answerOfSsm,
    fetch: () => (openai.length > 1 ? openai.shift() : openai[0])?.() ?? Promise.reject(new Error('nothing to say')),
    now: () => now,
  });
  await warmUp(issuer);
  table.takeRequests();
  return issuer;
}

function answerOfSsm() {
  return parameter instanceof Error ? Promise.reject(parameter) : Promise.resolve(parameter);
}

async function ask(issuer: Issuer, address = '203.0.113.9', trace: Trace = {}): Promise<Verdict> {
  return await issueSession({ address, idempotencyKey: undefined }, issuer, trace);
}

const counts = async () => Object.values(await table.counters()).toSorted();

describe('the requests to DynamoDB', () => {
  it('for a key: one read, and one write per limit', async () => {
    const issuer = await issuerWith();

    expect((await ask(issuer)).code).toBe('issued');
    expect(table.takeRequests()).toEqual(['BatchGetItem', 'UpdateItem', 'UpdateItem']);
  });

  it.runIf(isDynamoDbLocal)('for a refusal by the first limit: one read and one write', async () => {
    const issuer = await issuerWith();
    await ask(issuer);
    await ask(issuer);
    table.takeRequests();

    expect((await ask(issuer)).code).toBe('rate_limited');
    expect(table.takeRequests()).toEqual(['BatchGetItem', 'UpdateItem']);
  });

  it('for a cached refusal: none', async () => {
    const issuer = await issuerWith();
    for (let call = 1; call <= 3; call++) {
      await ask(issuer);
    }
    table.takeRequests();

    expect(await ask(issuer)).toMatchObject({ code: 'rate_limited', cached: true });
    expect(table.takeRequests()).toEqual([]);
  });

  it('for a paused request: one read', async () => {
    const issuer = await issuerWith();
    await writeSwitch(table, PAUSED);
    table.takeRequests();

    expect((await ask(issuer)).code).toBe('paused');
    expect(table.takeRequests()).toEqual(['BatchGetItem']);
  });

  it('at INIT: read and create the salt, read the switch, and nothing else', async () => {
    const fresh = testIssuer({ table, fetch: () => Promise.reject(new Error('nobody has asked for a key')) });
    await warmUp(fresh);

    expect(table.takeRequests().toSorted()).toEqual(['GetItem', 'GetItem', 'PutItem']);
  });

  it('INIT stops waiting after its time, and leaves the rest to the first request', async () => {
    const clock = createFakeClock();
    const slow: Issuer = { ...(await issuerWith()), salt: () => new Promise(() => undefined) };
    await clock.run(warmUp(slow, clock));

    expect(clock.fired).toEqual([INIT_UNTIL_MS]);
  });
});

describe('when no key can be issued, all counters are unchanged', () => {
  it.each<[string, () => Promise<Response>, string]>([
    ['fails', () => Promise.resolve(new Response('', { status: 500 })), 'upstream_unavailable'],
    ['rate limits us', () => Promise.resolve(new Response('{}', { status: 429 })), 'upstream_unavailable'],
    ['refuses us', () => Promise.resolve(new Response('{}', { status: 400 })), 'upstream_refused'],
    ['rejects our key', () => Promise.resolve(new Response('{}', { status: 401 })), 'upstream_refused'],
    ['does not respond', () => Promise.reject(new DOMException('late', 'TimeoutError')), 'upstream_unavailable'],
    ['sends an unusable response', () => Promise.resolve(new Response('<html>')), 'upstream_unavailable'],
  ])('OpenAI %s', async (_, answer, code) => {
    const issuer = await issuerWith();
    openai = [answer];

    expect(await ask(issuer)).toMatchObject({ code, limit: { scope: 'client', remaining: 2 } });
    expect(await counts()).toEqual([0, 0]);
    openai = [minted];
    expect(await ask(issuer)).toMatchObject({ code: 'issued', limit: { remaining: 1 } });
  });

  it('SSM is down', async () => {
    parameter = Object.assign(new Error('slow'), { name: 'TimeoutError' });
    const issuer = await issuerWith();

    expect(await ask(issuer)).toMatchObject({ code: 'upstream_unavailable', retryAt: NOON + 5_000 });
    expect(await counts()).toEqual([0, 0]);
    parameter = 'sk-test';
    expect((await ask(issuer)).code).toBe('issued');
  });

  it('the parameter is missing', async () => {
    parameter = Object.assign(new Error('none'), { name: 'ParameterNotFound' });
    const issuer = await issuerWith();

    expect((await ask(issuer)).code).toBe('misconfigured');
    expect(await counts()).toEqual([0, 0]);
  });

  it('minting throws an unexpected error', async () => {
    const issuer: Issuer = { ...(await issuerWith()), mint: () => Promise.reject(new TypeError('a fault of ours')) };

    await expect(ask(issuer)).rejects.toThrow('a fault of ours');
    expect(await counts()).toEqual([0, 0]);
  });
});

describe('when the owner rotates the key', () => {
  const rejected = () => Promise.resolve(new Response('{}', { status: 401 }));

  it('the parameter is read again after a 401, and the visitor gets a key', async () => {
    const issuer = await issuerWith();
    parameter = 'sk-new';
    openai = [rejected, minted];

    expect((await ask(issuer)).code).toBe('issued');
    expect(await counts()).toEqual([1, 1]);
  });

  it('after a 401 that leaves no time to read the parameter, the visitor is asked to retry later', async () => {
    const issuer = await issuerWith();
    openai = [
      () => {
        now = NOON + 9_001;
        return rejected();
      },
    ];
    parameter = new Error('SSM must not be asked');

    expect(await ask(issuer)).toMatchObject({
      code: 'upstream_unavailable',
      reason: expect.stringContaining('no time to check whether it was rotated'),
    });
    expect(await counts()).toEqual([0, 0]);
  });

  it('an invalid key that has not changed is not used twice', async () => {
    const issuer = await issuerWith();
    let calls = 0;
    openai = [
      () => {
        calls += 1;
        return rejected();
      },
    ];

    expect((await ask(issuer)).code).toBe('upstream_refused');
    expect(calls).toBe(1);
  });
});

describe('no key is issued', () => {
  it('after a pause, starting with the next request', async () => {
    const issuer = await issuerWith();
    expect((await ask(issuer)).code).toBe('issued');
    await writeSwitch(table, PAUSED);

    expect((await ask(issuer)).code).toBe('paused');
    expect(await counts()).toEqual([1, 1]);
  });

  it('if the kill switch cannot be read', async () => {
    const issuer = await issuerWith();
    table.client.middlewareStack.add(
      () => () => {
        throw Object.assign(new Error('down'), { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } });
      },
      { step: 'initialize', name: 'down' },
    );

    expect(await ask(issuer)).toMatchObject({ code: 'limiter_unavailable', retryAt: NOON + 5_000 });
  });

  it('if there is no such table', async () => {
    const issuer = await issuerWith({ TABLE_NAME: 'nowhere' });

    expect(await ask(issuer)).toMatchObject({ code: 'misconfigured', reason: expect.stringContaining('nowhere') });
  });

  it('above the budget, to any visitor; the refusal does not count against their own limit', async () => {
    const issuer = await issuerWith({ GLOBAL_LIMITS: '1/1d' });
    expect((await ask(issuer, '203.0.113.1')).code).toBe('issued');

    expect(await ask(issuer, '203.0.113.2')).toMatchObject({
      code: 'budget_exhausted',
      retryAt: Date.UTC(2026, 0, 2),
      limit: { scope: 'global', remaining: 0 },
    });
    expect(await counts()).toEqual([0, 1, 1]);
  });
});

describe('a reservation that cannot be released', () => {
  it('stays counted, is reported in the log, and does not change the response', async () => {
    const issuer = await issuerWith();
    openai = [() => Promise.resolve(new Response('', { status: 500 }))];
    table.client.middlewareStack.add(
      (next) => (args) => {
        if (JSON.stringify(args.input).includes(':minus_one')) {
          throw Object.assign(new Error('down'), { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } });
        }
        return next(args);
      },
      { step: 'initialize', name: 'noReleases' },
    );
    const trace: Trace = {};

    expect(await ask(issuer, '203.0.113.9', trace)).toMatchObject({ code: 'upstream_unavailable' });
    expect(trace.releaseFailed).toContain('InternalServerError');
    expect(await counts()).toEqual([1, 1]);
  });
});
