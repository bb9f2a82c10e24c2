import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/aws/identity.ts';
import type { Mode } from '../../local/openai/keys/mint-failures.ts';
import { startOpenAI } from '../../local/openai/server.ts';
import {
  type EndlessMode,
  expectNoCallLost,
  HUNDRED_CALLS,
  type Refused,
  UNAVAILABLE,
} from '../support/no-call-lost.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ environment: HUNDRED_CALLS });
});
afterAll(async () => {
  await stack.close();
});
beforeEach(() => {
  stack.openai?.reset();
  stack.ssm.fail('ok');
});

const REFUSED = [502, 'upstream_refused', false] as const;

/** Does not compile if it lacks a mode of the stand-in. Modes that only time out are tested in slow-answers.test.ts. */
const ANSWERS = {
  unauthorized: REFUSED,
  forbidden_country: REFUSED,
  bad_request: REFUSED,
  redirect: REFUSED,
  insufficient_quota: REFUSED,
  credit_balance_exhausted: REFUSED,
  rate_limited: UNAVAILABLE,
  slow_down: UNAVAILABLE,
  server_error: UNAVAILABLE,
  blank: UNAVAILABLE,
  html: UNAVAILABLE,
  not_json: UNAVAILABLE,
  wrong_shape: UNAVAILABLE,
  expired: UNAVAILABLE,
  reset: UNAVAILABLE,
  reset_midway: UNAVAILABLE,
  huge: UNAVAILABLE,
  minted_but_lost: UNAVAILABLE,
} as const satisfies Record<Exclude<Mode, 'ok' | 'slow' | EndlessMode>, Refused>;

describe('if OpenAI fails, the visitor gets our error message and keeps the call', () => {
  // A success between the failures keeps the circuit breaker closed, so that each mode reaches the function.
  beforeEach(async () => {
    expect((await stack.visit({ from: 2 })).status).toBe(200);
  });

  it.each(Object.entries(ANSWERS))('%s', (mode, refused) => expectNoCallLost(stack, mode as Mode, refused));

  it('a slow response is not a failure', async () => {
    stack.openai?.tell({ mode: 'slow', delayMs: 500, times: 1 });

    expect((await stack.visit({ from: 3 })).status).toBe(200);
  });

  it("OpenAI's Retry-After is forwarded", async () => {
    stack.openai?.tell({ mode: 'rate_limited', headers: { 'retry-after': '77' } });

    expect(await stack.visit()).toMatchObject({ headers: { 'retry-after': '77' }, json: { retry_after: 77 } });
  });
});

describe('the key', () => {
  it('can be rotated, and the next visitor gets a key as usual', async () => {
    const openai = await startOpenAI({ apiKey: 'sk-new' });
    const rotating = await startTestStack({ openai: { baseUrl: openai.baseUrl, apiKey: 'sk-old' } });
    const client = new SSMClient({
      endpoint: rotating.addresses.ssm,
      region: LOCAL_REGION,
      credentials: LOCAL_CREDENTIALS,
    });
    await client.send(
      new PutParameterCommand({
        Name: rotating.addresses.parameter,
        Value: 'sk-new',
        Type: 'SecureString',
        Overwrite: true,
      }),
    );

    expect((await rotating.visit()).status).toBe(200);
    expect(rotating.ssm.getParameterCalls()).toBe(2);
    await rotating.close();
    await openai.close();
  });

  it('if invalid, is read once more; then the log has the reason, but not the response', async () => {
    const invalid = await startTestStack({ openai: { baseUrl: stack.addresses.openai, apiKey: 'sk-of-nobody' } });

    expect(await invalid.visit()).toMatchObject({ status: 502, json: { code: 'upstream_refused' } });
    expect(await invalid.visit()).toMatchObject({ status: 502, json: { code: 'upstream_refused' } });
    expect(invalid.ssm.getParameterCalls()).toBe(2);
    expect(await invalid.close()).toContain('status 401: the API key or its organisation is invalid');
  });
});

describe('if the function cannot serve requests', () => {
  it('an invalid configuration is a response, and the log says how to fix it', async () => {
    const broken = await startTestStack({ environment: { CLIENT_LIMITS: 'ten', KEY_TTL_SECONDS: '5' } });
    const answer = await broken.visit();

    expect(answer).toMatchObject({ status: 500, json: { code: 'misconfigured', retryable: false } });
    expect(answer.text).not.toContain('CLIENT_LIMITS');
    const log = await broken.close();
    expect(log).toContain('For example: CLIENT_LIMITS=10/1h');
    expect(log).toContain('For example: KEY_TTL_SECONDS=60');
  });

  it('without its table, it issues no keys', async () => {
    const broken = await startTestStack();
    await broken.table.client.send(new DeleteTableCommand({ TableName: broken.table.name }));
    const answer = await broken.visit();

    expect(answer).toMatchObject({ status: 500, json: { code: 'misconfigured' } });
    expect(answer.text).not.toContain(broken.table.name);
    expect(broken.openai?.heard().requests).toBe(0);
    await broken.close();
  });

  it('above the concurrency cap, Lambda sends its own refusal, without a code of ours', async () => {
    const capped = await startTestStack({ concurrency: 2 });
    capped.openai?.tell({ mode: 'slow', delayMs: 1_500 });
    const answers = await Promise.all([11, 12, 13, 14, 15].map((from) => capped.visit({ from })));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.json).toEqual({
      Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
      Type: 'User',
      message: 'Rate Exceeded.',
    });
    await capped.close();
  });
});
