import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DYNAMODB_ATTEMPTS, MINT_ATTEMPTS, SSM_ATTEMPTS } from '../../contract/times.ts';
import type { Fault } from '../support/faults.ts';
import { type FaultyFunction, startFaultyFunction } from '../support/faulty-function.ts';
import type { Call } from '../support/faulty-proxy.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

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

/** Faults for which a second attempt could succeed. The sender cannot know whether the first attempt was processed. */
const FAULTS = ['reset', 'html_with_502', 'answer_lost', 'reset_midway'] as const satisfies readonly Fault[];

const writes =
  (scope: string, word: string) =>
  ({ body }: Call) =>
    body.includes(`"${scope}#`) && body.includes(word);

/** Each call to DynamoDB, and its maximum number of attempts per request. The budget's counter cannot detect a repeated write. */
const CALLS: readonly (readonly [string, number, (call: Call) => boolean])[] = [
  ['the switch is read', DYNAMODB_ATTEMPTS, ({ operation }) => operation === 'BatchGetItem'],
  ["the visitor's counter is increased", DYNAMODB_ATTEMPTS, writes('client', ':limit')],
  ["the budget's counter is increased", 1, writes('global', ':limit')],
  ["the visitor's counter is decreased", DYNAMODB_ATTEMPTS, writes('client', ':minus_one')],
  ["the budget's counter is decreased", 1, writes('global', ':minus_one')],
];

describe.each(FAULTS)('no retry inside a retry: while every response is %s', (fault) => {
  it.each(CALLS)('%s: attempts at DynamoDB: %i', async (_, attempts, isThisCall) => {
    stack.openai?.tell({ mode: 'bad_request', times: 1 });
    await fn.to.dynamodb.fail((call) => (isThisCall(call) ? fault : undefined));
    fn.to.dynamodb.takeCalls();
    await fn.ask();

    expect(fn.to.dynamodb.takeCalls().filter(isThisCall)).toHaveLength(attempts);
    stack.openai?.reset();
    await fn.to.dynamodb.mend();
  });

  it(`the key is read: attempts at SSM: ${SSM_ATTEMPTS}`, async () => {
    stack.openai?.tell({ mode: 'unauthorized', times: 1 });
    await fn.to.ssm.fail(fault);
    fn.to.ssm.takeCalls();
    await fn.ask();

    expect(fn.to.ssm.takeCalls()).toHaveLength(SSM_ATTEMPTS);
    await fn.to.ssm.mend();
  });

  it(`a key is minted: attempts at OpenAI: ${MINT_ATTEMPTS}`, async () => {
    await fn.to.openai.fail(fault);
    fn.to.openai.takeCalls();
    await fn.ask();

    expect(fn.to.openai.takeCalls()).toHaveLength(MINT_ATTEMPTS);
    await fn.to.openai.mend();
    await fn.ask();
  });
});
