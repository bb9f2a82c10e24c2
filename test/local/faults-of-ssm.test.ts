import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultName, longestFirst } from '../support/faults.ts';
import { expectRefusal, expectWell, type FaultyFunction, startFaultyFunction } from '../support/faulty-function.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

/** The reason in the log for each fault. It does not compile if a fault is missing. */
const WHY = {
  refused: /ECONNREFUSED/,
  reset: /ECONNRESET|hang up/,
  silence: /1500 ms/,
  garbage: /Parse Error/,
  error_with_200: /the response is empty/,
  html: /not JSON/,
  html_with_502: /not JSON/,
  busy: /ThrottlingException/,
  answer_lost: /ECONNRESET|hang up/,
  reset_midway: /aborted/,
  trickle: /1500 ms/,
  garbled: /not JSON/,
} satisfies Record<Exclude<FaultName, 'reset_afterwards'>, RegExp>;

const FAULTS = longestFirst(WHY);

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ environment: { CLIENT_LIMITS: '100/1d', GLOBAL_LIMITS: '1000/1d' } });
});
afterAll(async () => {
  await stack.close();
});

describe.concurrent('a container whose INIT could not read the key tries again for each visitor', () => {
  it.each(FAULTS)('%s', async (fault, why) => {
    const fn = await startFaultyFunction(stack.functionEnvironment, { ssm: fault });
    expectRefusal(await fn.ask(), 'upstream_unavailable', why);

    await fn.to.ssm.mend();
    await expectWell(fn);
    await fn.close();
  });

  it('reset_afterwards has no effect', async () => {
    const fn = await startFaultyFunction(stack.functionEnvironment, { ssm: 'reset_afterwards' });
    await expectWell(fn);
    await fn.close();
  });
});

describe('if the key cannot be read again after OpenAI rejected it', () => {
  let fn: FaultyFunction;
  beforeAll(async () => {
    fn = await startFaultyFunction(stack.functionEnvironment);
  });
  afterAll(() => fn.close());

  it.each(FAULTS)('%s', async (fault, why) => {
    stack.openai?.tell({ mode: 'unauthorized', times: 1 });
    await fn.to.ssm.fail(fault);
    expectRefusal(await fn.ask(), 'upstream_unavailable', why);

    await fn.to.ssm.mend();
    await expectWell(fn);
  });
});

it('after all tests, the counters match the issued keys', async () => {
  const keys = stack.openai?.heard().minted;
  const counts = Object.values(await stack.counters());
  expect(counts.toSorted()).toEqual([keys, keys]);
});
