import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../support/faults.ts';
import { expectRefusal, expectWell, startFaultyFunction } from '../support/faulty-function.ts';
import type { Rule } from '../support/faulty-proxy.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

let stack: TestStack;
/** Its key is none that OpenAI knows. */
let rejected: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  rejected = await startTestStack({ openai: { baseUrl: stack.addresses.openai, apiKey: 'sk-of-nobody' } });
});
afterAll(async () => {
  await rejected.close();
  await stack.close();
});

/** Within the time for one attempt, also on a machine that is busy. */
const SLOW: Fault = { lateMs: 700 };
const SLOW_SSM: Fault = { lateMs: 1_200 };

/** A call that succeeds at the second attempt, as late as that can be. What is never repeated is only slow. */
function secondAttempt(slow: Fault): Rule {
  const asked = new Set<string>();
  return ({ body }) => {
    const isFirst = !(body.includes('"global#') || asked.delete(body));
    if (isFirst) {
      asked.add(body);
    }
    return isFirst ? 'silence' : slow;
  };
}

describe.concurrent('when all that is called is slow, an answer comes in time', () => {
  it('a DynamoDB that takes 0.7 s for each answer is asked for four limits', async () => {
    const limits = '100/1d,90/1h';
    const fn = await startFaultyFunction({
      ...stack.functionEnvironment,
      CLIENT_LIMITS: limits,
      GLOBAL_LIMITS: limits,
    });
    await fn.to.dynamodb.fail(() => SLOW);
    await expectWell(fn);
    await fn.close();
  });

  it('for six its time does not suffice', async () => {
    const limits = '100/1d,90/2h,80/1h';
    const fn = await startFaultyFunction({
      ...stack.functionEnvironment,
      CLIENT_LIMITS: limits,
      GLOBAL_LIMITS: limits,
    });
    await fn.to.dynamodb.fail(() => SLOW);
    expectRefusal(await fn.ask(2), 'limiter_unavailable', /too slow for all limits/);
    await fn.close();
  });

  it('a container without its salt, at a DynamoDB that answers second attempts only', async () => {
    const fn = await startFaultyFunction(stack.functionEnvironment, { dynamodb: 'refused' });
    await fn.to.dynamodb.fail(secondAttempt(SLOW));
    expectRefusal(await fn.ask(3), 'limiter_unavailable', /too slow for all limits/);
    await fn.close();
  });

  it('the slowest of all: every call at its second attempt, and OpenAI silent until the end', async () => {
    const fn = await startFaultyFunction(stack.functionEnvironment, { ssm: 'refused' });
    await fn.to.dynamodb.fail(secondAttempt(SLOW));
    await fn.to.ssm.fail(secondAttempt(SLOW_SSM));
    await fn.to.openai.fail('silence');
    const outcome = await fn.ask(4);
    expectRefusal(outcome, 'upstream_unavailable', /no answer/);
    expect(JSON.parse(outcome.log)).not.toHaveProperty('release_failed');
    await fn.close();
  });

  it('a key that OpenAI rejects late, and that is looked up again while SSM is silent', async () => {
    const fn = await startFaultyFunction(rejected.functionEnvironment);
    await fn.to.dynamodb.fail(secondAttempt(SLOW));
    await fn.to.openai.fail({ lateMs: 3_500 });
    await fn.to.ssm.fail('silence');
    expectRefusal(await fn.ask(), 'upstream_unavailable', /1500 ms/);
    await fn.close();
  });
});

it('after all of it, what is counted are the keys that left', async () => {
  const counts = async ({ counters }: TestStack) => Object.values(await counters()).filter((count) => count !== 0);

  expect(await counts(stack)).toEqual([1, 1, 1, 1]);
  expect(await counts(rejected)).toEqual([]);
});
