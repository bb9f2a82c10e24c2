import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, type FaultName, isActedUpon, isWaitedFor, longestFirst } from '../support/faults.ts';
import { expectRefusal, expectWell, type FaultyFunction, startFaultyFunction } from '../support/faulty-function.ts';
import type { Call } from '../support/faulty-proxy.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { freshTable, type TestTable } from '../support/table.ts';

/** The reason in the log for each fault. It does not compile if a fault is missing. */
const WHY = {
  refused: /ECONNREFUSED/,
  reset: /ECONNRESET|hang up/,
  silence: /1000 ms/,
  garbage: /Parse Error/,
  error_with_200: /did not come from DynamoDB/,
  html: /not JSON/,
  html_with_502: /not JSON/,
  busy: /ThrottlingException/,
  answer_lost: /ECONNRESET|hang up/,
  reset_midway: /aborted/,
  trickle: /1000 ms/,
  garbled: /not JSON/,
} satisfies Record<Exclude<FaultName, 'reset_afterwards'>, RegExp>;

type EachFault = keyof typeof WHY;
type FaultOfOneCall = Exclude<EachFault, 'refused'>;
const FAULTS = longestFirst(WHY);

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ environment: { CLIENT_LIMITS: '100/1d', GLOBAL_LIMITS: '1000/1d' } });
});
afterAll(async () => {
  await stack.close();
});

interface Failing {
  readonly fn: FaultyFunction;
  readonly table: Pick<TestTable, 'counters'>;
}

/** The sum of all visitors' counters, and the counter for everybody. */
async function countedIn({ counters }: Failing['table']) {
  const counts = { client: 0, global: 0 };
  for (const [key, count] of Object.entries(await counters())) {
    counts[key.startsWith('client#') ? 'client' : 'global'] += count;
  }
  return counts;
}

const increases =
  (scope: string) =>
  ({ body }: Call) =>
    body.includes(`"${scope}#`) && body.includes(':limit');
const decreases = ({ body }: Call) => body.includes(':minus_one');
const during = (stage: (call: Call) => boolean, fault: Fault) => (call: Call) => (stage(call) ? fault : undefined);

async function failAtEveryCall({ fn, table }: Failing, fault: EachFault): Promise<void> {
  const before = await countedIn(table);
  await fn.to.dynamodb.fail(fault);
  expectRefusal(await fn.ask(), 'limiter_unavailable', WHY[fault]);
  expect(await countedIn(table)).toEqual(before);
}

/** The call to DynamoDB that fails, and the expected result. */
const STAGES: Readonly<Record<string, (failing: Failing, fault: FaultOfOneCall) => Promise<void>>> = {
  "when the visitor's counter is increased": async ({ fn, table }, fault) => {
    const { client, global } = await countedIn(table);
    await fn.to.dynamodb.fail(during(increases('client'), fault));
    expectRefusal(await fn.ask(), 'limiter_unavailable', WHY[fault]);
    expect(await countedIn(table)).toEqual({ client: client + (isActedUpon(fault) ? 1 : 0), global });
  },
  "when the budget's counter is increased": async ({ fn, table }, fault) => {
    const { client, global } = await countedIn(table);
    await fn.to.dynamodb.fail(during(increases('global'), fault));
    expectRefusal(await fn.ask(), 'limiter_unavailable', WHY[fault]);
    expect(await countedIn(table)).toEqual({ client, global: global + (isActedUpon(fault) ? 1 : 0) });
  },
  'when the counters are decreased': async ({ fn, table }, fault) => {
    const { client, global } = await countedIn(table);
    const kept = isActedUpon(fault) ? 0 : 1;
    await fn.to.openai.fail('html');
    await fn.to.dynamodb.fail(during(decreases, fault));
    const outcome = await fn.ask();
    expectRefusal(outcome, 'upstream_unavailable', /status 200/);
    expect(JSON.parse(outcome.log)).toMatchObject({ release_failed: expect.stringMatching(WHY[fault]) });
    expect(await countedIn(table)).toEqual({ client: client + kept, global: global + kept });
    await fn.to.openai.mend();
  },
};

interface Case {
  readonly stage: string;
  readonly fault: EachFault;
  readonly fail: (failing: Failing) => Promise<void>;
}

const CASES: readonly Case[] = FAULTS.flatMap(([fault]) => [
  { stage: 'at every call', fault, fail: (failing) => failAtEveryCall(failing, fault) },
  ...(fault === 'refused'
    ? []
    : Object.entries(STAGES).map(([stage, fail]) => ({ stage, fault, fail: (it: Failing) => fail(it, fault) }))),
]);

describe('while DynamoDB fails, no keys are issued, and after that the next visitor gets one', () => {
  let fn: FaultyFunction;
  beforeAll(async () => {
    fn = await startFaultyFunction(stack.functionEnvironment);
  });
  afterAll(() => fn.close());

  async function failAndMend(failing: Failing, { fail }: Case): Promise<void> {
    await fail(failing);
    await failing.fn.to.dynamodb.mend();
    await expectWell(failing.fn);
  }

  it.each(CASES.filter(({ fault }) => !isWaitedFor(fault)))('$stage: $fault', (each) =>
    failAndMend({ fn, table: stack }, each),
  );

  it.concurrent.each(CASES.filter(({ fault }) => isWaitedFor(fault)))('$stage: $fault', async (each) => {
    const table = await freshTable();
    const own = await startFaultyFunction({ ...stack.functionEnvironment, TABLE_NAME: table.name });
    await failAndMend({ fn: own, table }, each);
    await own.close();
  });

  // Not when the visitor's counter is increased: the next write, which is never repeated, may already use the same connection.
  it.each([
    ['the switch is read', ({ operation }: Call) => operation === 'BatchGetItem'],
    ["the budget's counter is increased", increases('global')],
  ])('a connection that is reset after its response has no effect: %s', async (_, stage) => {
    const { client, global } = await countedIn(stack);
    await fn.to.dynamodb.fail(during(stage, 'reset_afterwards'));
    await expectWell(fn);
    await expectWell(fn);
    expect(await countedIn(stack)).toEqual({ client: client + 2, global: global + 2 });
    await fn.to.dynamodb.mend();
  });
});

describe.concurrent('a container whose INIT failed answers with an error, and recovers after the fault', () => {
  it.each(FAULTS)('%s', async (fault, why) => {
    const fn = await startFaultyFunction(stack.functionEnvironment, { dynamodb: fault });
    expectRefusal(await fn.ask(), 'limiter_unavailable', why);

    await fn.to.dynamodb.mend();
    await expectWell(fn);
    await fn.close();
  });
});
