import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultName, isWaitedFor } from '../support/faults.ts';
import { expectRefusal, expectWell, type FaultyFunction, startFaultyFunction } from '../support/faulty-function.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { freshTable, type TestTable } from '../support/table.ts';

/** The reason in the log for each fault, in our wording. It does not compile if a fault is missing. */
const WHY = {
  refused: /the connection failed/,
  reset: /the connection failed/,
  silence: /no answer within 4000 ms/,
  garbage: /the connection failed/,
  error_with_200: /status 200 without a usable key/,
  html: /status 200 without a usable key/,
  html_with_502: /status 502/,
  busy: /status 503/,
  answer_lost: /the connection failed/,
  reset_midway: /the connection failed/,
  trickle: /no answer within 4000 ms/,
  garbled: /status 200 without a usable key/,
} satisfies Record<Exclude<FaultName, 'reset_afterwards'>, RegExp>;

type Fault = keyof typeof WHY;
const FAULTS = Object.keys(WHY) as Fault[];

let stack: TestStack;
let fn: FaultyFunction;
beforeAll(async () => {
  stack = await startTestStack({ environment: { CLIENT_LIMITS: '100/1d', GLOBAL_LIMITS: '1000/1d' } });
  fn = await startFaultyFunction(stack.functionEnvironment);
});
afterAll(async () => {
  await fn.close();
  await stack.close();
});

describe('while OpenAI fails, nothing is counted, and after that the next visitor gets a key', () => {
  async function expectNothingCounted(
    failing: FaultyFunction,
    { counters }: Pick<TestTable, 'counters'>,
    fault: Fault,
  ) {
    const counts = async () => Object.values(await counters()).filter((count) => count !== 0);
    const before = await counts();
    await failing.to.openai.fail(fault);
    const outcome = await failing.ask();
    expectRefusal(outcome, 'upstream_unavailable', WHY[fault]);
    expect(JSON.parse(outcome.log)).not.toHaveProperty('release_failed');
    expect(await counts()).toEqual(before);

    await failing.to.openai.mend();
    await expectWell(failing);
  }

  it.each(FAULTS.filter((fault) => !isWaitedFor(fault)))('%s', (fault) => expectNothingCounted(fn, stack, fault));

  it.concurrent.each(FAULTS.filter(isWaitedFor))('%s', async (fault) => {
    const table = await freshTable();
    const own = await startFaultyFunction({ ...stack.functionEnvironment, TABLE_NAME: table.name });
    await expectNothingCounted(own, table, fault);
    await own.close();
  });

  it('reset_afterwards has no effect', async () => {
    await fn.to.openai.fail('reset_afterwards');
    await expectWell(fn);
    await expectWell(fn);
  });
});
