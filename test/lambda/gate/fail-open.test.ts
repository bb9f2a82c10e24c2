import { beforeEach, describe, expect, it } from 'vitest';
import type { Verdict } from '../../../lambda/answers/verdict.ts';
import { writeBlock } from '../../../lambda/gate/block.ts';
import { issueSession } from '../../../lambda/session/issue-session.ts';
import { type Issuer, warmUp } from '../../../lambda/session/issuer.ts';
import type { Trace } from '../../../lambda/trace.ts';
import { viewerId } from '../../../lambda/visitor/viewer.ts';
import { testIssuer } from '../../support/issuer.ts';
import { writeSwitch } from '../../support/switch.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

let table: TestTable;
let now = NOON;
/** The error that DynamoDB returns, if any. */
let fault: { readonly name: string; readonly status: number } | undefined;

beforeEach(async () => {
  table = await freshTable();
  now = NOON;
  fault = undefined;
  table.client.middlewareStack.add(
    (next) => (args) => {
      if (fault !== undefined) {
        throw Object.assign(new Error('no'), { name: fault.name, $fault: fault.status < 500 ? 'client' : 'server' });
      }
      return next(args);
    },
    { step: 'initialize', name: 'fault' },
  );
});

async function container(mode: 'open' | 'closed'): Promise<Issuer> {
  const issuer = testIssuer({
    table,
    environment: { LIMITER_FAILURE_MODE: mode },
    now: () => now,
    fetch: () =>
      Promise.resolve(
        Response.json({ value: 'ek_1', expires_at: now / 1_000 + 60, session: { type: 'realtime', model: 'a-model' } }),
      ),
  });
  await warmUp(issuer);
  return issuer;
}

const ask = (issuer: Issuer, trace: Trace = {}, address = '203.0.113.9'): Promise<Verdict> =>
  issueSession({ address, idempotencyKey: undefined }, issuer, trace);

const blockedViewer = (salt: Uint8Array) => viewerId('203.0.113.9', 56, salt);

const UNAVAILABLE = { name: 'InternalServerError', status: 500 };

describe('when DynamoDB is unavailable', () => {
  it('in mode closed no key is issued', async () => {
    const issuer = await container('closed');
    fault = UNAVAILABLE;

    expect(await ask(issuer)).toMatchObject({ code: 'limiter_unavailable', retryAt: NOON + 5_000 });
  });

  it('in mode open three keys are issued at once, then one per minute, each marked as failedOpen', async () => {
    const issuer = await container('open');
    fault = UNAVAILABLE;

    for (let call = 1; call <= 3; call++) {
      expect(await ask(issuer)).toMatchObject({ code: 'issued', failedOpen: true, limit: undefined });
    }
    expect(await ask(issuer)).toMatchObject({ code: 'limiter_unavailable', retryAt: NOON + 60_000 });
    now += 60_000;
    expect((await ask(issuer)).code).toBe('issued');
    expect((await ask(issuer)).code).toBe('limiter_unavailable');
  });

  it('mode open ends with the first response of DynamoDB', async () => {
    const issuer = await container('open');
    fault = UNAVAILABLE;
    await ask(issuer);
    fault = undefined;

    expect(await ask(issuer)).toMatchObject({ code: 'issued', failedOpen: false, limit: { remaining: 9 } });
  });

  it.each([
    ['ThrottlingException', 400],
    ['ProvisionedThroughputExceededException', 400],
    ['ServiceUnavailable', 503],
  ])('mode open covers %s', async (name, status) => {
    const issuer = await container('open');
    fault = { name, status };

    expect(await ask(issuer)).toMatchObject({ code: 'issued', failedOpen: true });
  });

  it.each([
    ['AccessDeniedException', 400],
    ['ResourceNotFoundException', 400],
    ['ValidationException', 400],
  ])('mode open does not cover %s, which does not go away by itself', async (name, status) => {
    const issuer = await container('open');
    fault = { name, status };

    expect((await ask(issuer)).code).toBe('misconfigured');
  });

  it('in mode open the last value of the kill switch is used for five minutes, paused or not', async () => {
    const issuer = await container('open');
    await writeSwitch(table, { paused: true, since: 0, by: 'me', message: { ja: undefined, en: undefined } });
    expect((await ask(issuer)).code).toBe('paused');
    fault = UNAVAILABLE;

    now += 300_000;
    expect((await ask(issuer)).code).toBe('paused');
    now += 1;
    expect((await ask(issuer)).code).toBe('limiter_unavailable');
  });

  it('in mode open a visitor stays blocked if this container has read the block', async () => {
    const issuer = await container('open');
    await writeBlock(table, blockedViewer(await issuer.salt()), {
      until: NOON + 3_600_000,
      message: { ja: undefined, en: 'Please write to us.' },
    });
    const refusal = await ask(issuer);
    expect(refusal).toMatchObject({ code: 'blocked', message: { en: 'Please write to us.' } });
    fault = UNAVAILABLE;

    expect(await ask(issuer)).toEqual(refusal);
    expect((await ask(issuer, {}, '203.0.113.10')).code).toBe('issued');
  });

  it('in mode open a visitor is not blocked if this container has read that the block was removed', async () => {
    const issuer = await container('open');
    const viewer = blockedViewer(await issuer.salt());
    await writeBlock(table, viewer, { until: NOON + 3_600_000, message: { ja: undefined, en: undefined } });
    await ask(issuer);
    await writeBlock(table, viewer, { until: NOON, message: { ja: undefined, en: undefined } });
    await ask(issuer);
    fault = UNAVAILABLE;

    expect((await ask(issuer)).code).toBe('issued');
  });

  it('in mode open a container that has never read the kill switch issues no key', async () => {
    fault = UNAVAILABLE;
    const issuer = await container('open');

    expect((await ask(issuer)).code).toBe('limiter_unavailable');
  });
});
