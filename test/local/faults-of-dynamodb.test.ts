import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, type FaultName, isActedUpon } from '../support/faults.ts';
import { expectRefusal, expectWell, type FaultyFunction, startFaultyFunction } from '../support/faulty-function.ts';
import type { Call } from '../support/faulty-proxy.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

/** What the log says of each. A fault that is forgotten here does not compile. */
const WHY = {
  refused: /ECONNREFUSED/,
  reset: /ECONNRESET|hang up/,
  silence: /1000 ms/,
  garbage: /Parse Error/,
  error_with_200: /not one of DynamoDB's/,
  html: /not JSON/,
  html_with_502: /not JSON/,
  busy: /ThrottlingException/,
  answer_lost: /ECONNRESET|hang up/,
  reset_midway: /aborted/,
  trickle: /1000 ms/,
  garbled: /not JSON/,
} satisfies Record<Exclude<FaultName, 'reset_afterwards'>, RegExp>;

const FAULTS = Object.entries(WHY) as [keyof typeof WHY, RegExp][];
const FAULTS_OF_ONE_CALL = FAULTS.filter(
  (each): each is [Exclude<(typeof each)[0], 'refused'>, RegExp] => each[0] !== 'refused',
);

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ environment: { CLIENT_LIMITS: '100/1d', GLOBAL_LIMITS: '1000/1d' } });
});
afterAll(async () => {
  await stack.close();
});

/** All visitors' counters together, and the one for everybody. */
async function counted() {
  const counts = { client: 0, global: 0 };
  for (const [key, count] of Object.entries(await stack.counters())) {
    counts[key.startsWith('client#') ? 'client' : 'global'] += count;
  }
  return counts;
}

const takes =
  (scope: string) =>
  ({ body }: Call) =>
    body.includes(`"${scope}#`) && body.includes(':limit');
const givesBack = ({ body }: Call) => body.includes(':minus_one');
const during = (stage: (call: Call) => boolean, fault: Fault) => (call: Call) => (stage(call) ? fault : undefined);

describe('when DynamoDB fails, nobody gets a key, and the next visitor does', () => {
  let fn: FaultyFunction;
  beforeAll(async () => {
    fn = await startFaultyFunction(stack.functionEnvironment);
  });
  afterAll(() => fn.close());

  it.each(FAULTS)('at every call: %s', async (fault, why) => {
    const before = await counted();
    await fn.to.dynamodb.fail(fault);
    expectRefusal(await fn.ask(), 'limiter_unavailable', why);
    expect(await counted()).toEqual(before);

    await fn.to.dynamodb.mend();
    await expectWell(fn);
  });

  it.each(FAULTS_OF_ONE_CALL)("when the visitor's place is taken: %s", async (fault, why) => {
    const { client, global } = await counted();
    await fn.to.dynamodb.fail(during(takes('client'), fault));
    expectRefusal(await fn.ask(), 'limiter_unavailable', why);
    expect(await counted()).toEqual({ client: client + (isActedUpon(fault) ? 1 : 0), global });

    await fn.to.dynamodb.mend();
    await expectWell(fn);
  });

  it.each(FAULTS_OF_ONE_CALL)("when the budget's place is taken: %s", async (fault, why) => {
    const { client, global } = await counted();
    await fn.to.dynamodb.fail(during(takes('global'), fault));
    expectRefusal(await fn.ask(), 'limiter_unavailable', why);
    expect(await counted()).toEqual({ client, global: global + (isActedUpon(fault) ? 1 : 0) });

    await fn.to.dynamodb.mend();
    await expectWell(fn);
  });

  it.each(FAULTS_OF_ONE_CALL)('when places are given back: %s', async (fault, why) => {
    const { client, global } = await counted();
    const kept = isActedUpon(fault) ? 0 : 1;
    await fn.to.openai.fail('html');
    await fn.to.dynamodb.fail(during(givesBack, fault));
    const outcome = await fn.ask();
    expectRefusal(outcome, 'upstream_unavailable', /status 200/);
    expect(JSON.parse(outcome.log)).toMatchObject({ release_failed: expect.stringMatching(why) });
    expect(await counted()).toEqual({ client: client + kept, global: global + kept });

    await fn.to.openai.mend();
    await fn.to.dynamodb.mend();
    await expectWell(fn);
  });

  // Not when the visitor's place is taken: the next write, which is never repeated, may be on its way down the same line.
  it.each([
    ['the switch is read', ({ operation }: Call) => operation === 'BatchGetItem'],
    ["the budget's place is taken", takes('global')],
  ])('a connection that is reset after its answer costs nobody anything: %s', async (_, stage) => {
    const { client, global } = await counted();
    await fn.to.dynamodb.fail(during(stage, 'reset_afterwards'));
    await expectWell(fn);
    await expectWell(fn);
    expect(await counted()).toEqual({ client: client + 2, global: global + 2 });
    await fn.to.dynamodb.mend();
  });
});

describe.concurrent('a container whose INIT met the fault answers, and is well once it is over', () => {
  it.each(FAULTS)('%s', async (fault, why) => {
    const fn = await startFaultyFunction(stack.functionEnvironment, { dynamodb: fault });
    expectRefusal(await fn.ask(), 'limiter_unavailable', why);

    await fn.to.dynamodb.mend();
    await expectWell(fn);
    await fn.close();
  });
});
