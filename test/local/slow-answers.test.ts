import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../support/faults.ts';
import { expectRefusal, expectWell, type FaultyFunction, startFaultyFunction } from '../support/faulty-function.ts';
import type { Rule } from '../support/faulty-proxy.ts';
import {
  ENDLESS_MODES,
  type EndlessMode,
  expectNoCallLost,
  HUNDRED_CALLS,
  UNAVAILABLE,
} from '../support/no-call-lost.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

let stack: TestStack;
/** Its key is invalid at OpenAI. */
let rejected: TestStack;
let endless: Record<EndlessMode, TestStack>;
/** Started before any request, because starting a function keeps a processor busy. */
let fn: Record<'ofFour' | 'ofEight' | 'unsalted' | 'keyless' | 'rejected', FaultyFunction>;
beforeAll(async () => {
  stack = await startTestStack();
  rejected = await startTestStack({ openai: { baseUrl: stack.addresses.openai, apiKey: 'sk-of-nobody' } });
  endless = {
    hang: await startTestStack({ environment: HUNDRED_CALLS }),
    trickle: await startTestStack({ environment: HUNDRED_CALLS }),
  };
  const limited = (limits: string) => ({
    ...stack.functionEnvironment,
    CLIENT_LIMITS: limits,
    GLOBAL_LIMITS: limits,
  });
  fn = {
    ofFour: await startFaultyFunction(limited('100/1d,90/1h')),
    ofEight: await startFaultyFunction(limited('100/1d,90/3h,80/2h,70/1h')),
    unsalted: await startFaultyFunction(stack.functionEnvironment, { dynamodb: 'refused' }),
    keyless: await startFaultyFunction(stack.functionEnvironment, { ssm: 'refused' }),
    rejected: await startFaultyFunction(rejected.functionEnvironment),
  };
});
afterAll(async () => {
  await Promise.all(Object.values(fn).map(({ close }) => close()));
  await Promise.all(Object.values(endless).map(({ close }) => close()));
  await rejected.close();
  await stack.close();
});

/** Within the timeout of one attempt, also on a busy machine. */
const SLOW: Fault = { lateMs: 600 };
const SLOW_SSM: Fault = { lateMs: 1_200 };

/** Calls succeed at the second attempt, as late as possible. Calls that are never repeated are only slow. */
function secondAttempt(slow: Fault): Rule {
  const attempted = new Set<string>();
  return ({ body }) => {
    const isFirst = !(body.includes('"global#') || attempted.delete(body));
    if (isFirst) {
      attempted.add(body);
    }
    return isFirst ? 'silence' : slow;
  };
}

describe.concurrent('if all upstreams are slow, the response is in time', () => {
  it('DynamoDB takes 0.6 s for each response, with four limits', async () => {
    await fn.ofFour.to.dynamodb.fail(SLOW);
    await expectWell(fn.ofFour);
  });

  it('with eight limits, the time is too short', async () => {
    await fn.ofEight.to.dynamodb.fail(SLOW);
    expectRefusal(await fn.ofEight.ask(2), 'limiter_unavailable', /too slow for all limits/);
  });

  it('a container without its salt, and DynamoDB answers only second attempts', async () => {
    await fn.unsalted.to.dynamodb.fail(secondAttempt(SLOW));
    expectRefusal(await fn.unsalted.ask(3), 'limiter_unavailable', /too slow for all limits/);
  });

  it('the slowest case: every call succeeds at its second attempt, and OpenAI never answers', async () => {
    const { to, ask } = fn.keyless;
    await to.dynamodb.fail(secondAttempt(SLOW));
    await to.ssm.fail(secondAttempt(SLOW_SSM));
    await to.openai.fail('silence');
    const outcome = await ask(4);
    expectRefusal(outcome, 'upstream_unavailable', /no answer/);
    expect(JSON.parse(outcome.log)).not.toHaveProperty('release_failed');
  });

  it('OpenAI rejects the key, and SSM does not answer when it is read again', async () => {
    const { to, ask } = fn.rejected;
    await to.dynamodb.fail(secondAttempt(SLOW));
    await to.openai.fail({ lateMs: 500 });
    await to.ssm.fail('silence');
    expectRefusal(await ask(), 'upstream_unavailable', /1500 ms/);
  });

  it.each(ENDLESS_MODES)('a response of OpenAI that never ends: %s', (mode) =>
    expectNoCallLost(endless[mode], mode, UNAVAILABLE),
  );
});

it('after all tests, the counters match the issued keys', async () => {
  const counts = async ({ counters }: TestStack) => Object.values(await counters()).filter((count) => count !== 0);

  expect(await counts(stack)).toEqual([1, 1, 1, 1]);
  expect(await counts(rejected)).toEqual([]);
});
