import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTION_BUNDLE } from '../../scripts/build-function.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

let stack: TestStack;
beforeAll(async () => {
  // A window of one day ends during a test only at midnight UTC.
  stack = await startTestStack({ environment: { CLIENT_LIMITS: '10/1d', GLOBAL_LIMITS: '100000/1d' } });
});
afterAll(async () => {
  await stack.close();
});

async function statusesOf(visitors: readonly number[], callsEach: number): Promise<Record<number, number[]>> {
  const calls = visitors.flatMap((from) => Array.from({ length: callsEach }, () => from));
  const answers = await Promise.all(
    calls.map(async (from) => ({ from, status: (await stack.visit({ from })).status })),
  );
  return Object.fromEntries(
    visitors.map((from) => [from, answers.filter((answer) => answer.from === from).map(({ status }) => status)]),
  );
}

const count = (statuses: readonly number[], status: number) => statuses.filter((each) => each === status).length;

async function clientCounters(): Promise<number[]> {
  return Object.entries(await stack.counters())
    .filter(([key]) => key.startsWith('client#'))
    .map(([, counter]) => counter);
}

describe('at a limit of 10', () => {
  it('200 concurrent calls of one visitor get 10 keys and 190 refusals, and the counter is 10', async () => {
    const { 100: statuses = [] } = await statusesOf([100], 200);

    expect([count(statuses, 200), count(statuses, 429)]).toEqual([10, 190]);
    expect(await clientCounters()).toEqual([10]);
    expect(stack.openai?.heard().minted).toBe(10);
  });

  it('20 concurrent visitors with 20 calls each get 10 keys each', async () => {
    const visitors = Array.from({ length: 20 }, (_, index) => 101 + index);
    const statuses = await statusesOf(visitors, 20);

    expect(visitors.map((from) => count(statuses[from] ?? [], 200))).toEqual(visitors.map(() => 10));
    expect(visitors.map((from) => count(statuses[from] ?? [], 429))).toEqual(visitors.map(() => 10));
    expect(await clientCounters()).toEqual([10, ...visitors.map(() => 10)]);
  });

  it('two processes that run the bundle with one table issue 10 keys together', async () => {
    const [first, second] = await Promise.all([callsFromAProcess(100), callsFromAProcess(100)]);

    const all = [...first, ...second];
    expect([count(all, 200), count(all, 429)]).toEqual([10, 190]);
    expect(new Set(await clientCounters())).toEqual(new Set([10]));
  });
});

/** Runs the bundle in its own process, with this number of concurrent calls from the visitor 198.51.100.7. */
async function callsFromAProcess(calls: number): Promise<number[]> {
  const child = fork(join(import.meta.dirname, '../support/bundle-process.ts'), [FUNCTION_BUNDLE, String(calls)], {
    env: stack.functionEnvironment,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [statuses] = await once(child, 'message');
  child.kill();
  return statuses;
}
