import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Verdict } from '../../../lambda/answers/verdict.ts';
import { issueSession } from '../../../lambda/session/issue-session.ts';
import { testIssuer } from '../../support/issuer.ts';
import { describedStack, scriptedAccount } from '../../support/scripted-account.ts';
import { freshTable, type TestTable } from '../../support/table.ts';
import { issuer as command } from '../command.ts';

let table: TestTable;
beforeAll(async () => {
  table = await freshTable();
});
afterAll(() => table.client.destroy());

const AT_ONCE = 50;
const ENOUGH_KEYS = 20;

const minted = () =>
  Promise.resolve(
    Response.json({ value: 'ek_1', expires_at: 4_102_444_800, session: { type: 'realtime', model: 'a-model' } }),
  );

async function flip(name: 'pause' | 'resume'): Promise<number> {
  const outputs = { FunctionName: 'f', LogGroupName: 'l', TableName: table.name, KeyParameterName: '/key' };
  const account = scriptedAccount({
    DescribeStacks: () => describedStack(outputs),
    GetFunctionConcurrency: () => ({ body: {} }),
  });
  expect((await command([name], { client: account.client })).code).toBe(0);
  return performance.now();
}

it(`of ${AT_ONCE} concurrent callers, none gets a key if its switch was read after the pause`, async () => {
  const calls: { readAt: number; verdict: Verdict }[] = [];
  const made = testIssuer({
    table,
    environment: { CLIENT_LIMITS: '1000/1d', GLOBAL_LIMITS: '100000/1d' },
    fetch: minted,
  });
  let keys = 0;
  let pausedAnswers = 0;
  const keysAreFlowing = Promise.withResolvers<void>();

  // Each caller sends requests until three of them were refused with `paused`.
  async function caller(number: number): Promise<void> {
    for (let refusals = 0; refusals < 3; ) {
      let readAt = 0;
      const issuer: typeof made = {
        ...made,
        readGate(...args) {
          readAt = performance.now();
          return made.readGate(...args);
        },
      };
      const verdict = await issueSession({ address: `203.0.113.${number}`, idempotencyKey: undefined }, issuer, {});
      calls.push({ readAt, verdict });
      if (verdict.code === 'paused') {
        refusals += 1;
        pausedAnswers += 1;
      }
      keys += verdict.code === 'issued' ? 1 : 0;
      if (keys >= ENOUGH_KEYS) {
        keysAreFlowing.resolve();
      }
    }
  }
  const calling = Promise.all(Array.from({ length: AT_ONCE }, (_, number) => caller(number)));
  await keysAreFlowing.promise;
  const pausedAt = await flip('pause');
  await calling;
  await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => caller(number)));

  const after = calls.filter(({ readAt }) => readAt > pausedAt);
  expect(after.length).toBeGreaterThanOrEqual(3 * AT_ONCE);
  expect(after.filter(({ verdict }) => verdict.code === 'issued')).toEqual([]);
  expect(pausedAnswers).toBe(6 * AT_ONCE);

  await flip('resume');
  const next = await issueSession({ address: '203.0.113.200', idempotencyKey: undefined }, made, {});
  expect(next.code).toBe('issued');
});
