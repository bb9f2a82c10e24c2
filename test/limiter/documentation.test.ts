import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTable } from '../../local/aws/dynamodb.ts';
import { LOCAL_CREDENTIALS } from '../../local/aws/identity.ts';
import { codeBlocks, importExample } from '../support/documentation.ts';
import { dynamodb, dynamodbClient } from '../support/table.ts';

type Handler = (event: { customer: string }) => Promise<{ statusCode: number; headers?: Record<string, string> }>;

let handler: Handler;
let work = () => Promise.resolve({ statusCode: 200 });

beforeAll(async () => {
  // The clock does not move, so no window ends during a test.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 12) });
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', LOCAL_CREDENTIALS.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', LOCAL_CREDENTIALS.secretAccessKey);
  vi.stubGlobal('theExpensiveThing', () => work());
  await createTable(dynamodbClient(), 'limits');
  const [code = ''] = await codeBlocks('docs/limiter.md', 'ts');
  handler = (await importExample('limiter', code))['handler'] as Handler;
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('the example in docs/limiter.md', () => {
  it('admits, refuses with headers, and does not count failed calls', async () => {
    work = () => Promise.reject(new Error('it failed'));
    for (let call = 1; call <= 5; call++) {
      await expect(handler({ customer: 'acme' })).rejects.toThrow('it failed');
    }

    work = () => Promise.resolve({ statusCode: 200 });
    const calls = [1, 2, 3, 4, 5].map(() => () => handler({ customer: 'acme' }));
    const answers: Awaited<ReturnType<Handler>>[] = [];
    for (const call of calls) {
      answers.push(await call());
    }
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429, 429]);
    expect(answers[4]?.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
  });
});
