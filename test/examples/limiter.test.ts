import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { handler as Handler } from '../../examples/limiter/handler.ts';
import { createTable } from '../../local/aws/dynamodb.ts';
import { LOCAL_CREDENTIALS } from '../../local/aws/identity.ts';
import { type ScriptedServer, startScriptedServer } from '../resilience/scripted-server.ts';
import { dynamodb, dynamodbClient } from '../support/table.ts';
import { bundleAsDocumented } from './documented-bundle.ts';

let paidApi: ScriptedServer;
let handler: typeof Handler;

beforeAll(async () => {
  paidApi = await startScriptedServer();
  const table = `test-${crypto.randomUUID()}`;
  await createTable(dynamodbClient(), table);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 12) });
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', LOCAL_CREDENTIALS.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', LOCAL_CREDENTIALS.secretAccessKey);
  vi.stubEnv('TABLE_NAME', table);
  vi.stubEnv('PAID_API_URL', paidApi.url);
  ({ handler } = await import((await bundleAsDocumented('limiter')).path));
});
afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await paidApi.close();
});

const call = (sub: string) => handler({ body: 'hello', requestContext: { authorizer: { jwt: { claims: { sub } } } } });

async function statuses(sub: string, calls: number): Promise<number[]> {
  const answers: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    answers.push((await call(sub)).statusCode);
  }
  return answers;
}

describe('the limiter in another Lambda function', () => {
  it('admits five calls at once, then refuses until the next token', async () => {
    paidApi.play({ status: 200, body: { answer: 42 } });
    expect(await statuses('acme', 6)).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = await call('acme');
    expect(refused.headers).toMatchObject({ 'retry-after': '180', 'x-ratelimit-remaining': '0' });
    expect(paidApi.requests).toHaveLength(5);
  });

  it('counts each customer alone', async () => {
    paidApi.play({ status: 200, body: { answer: 42 } });
    expect(await call('umbrella')).toMatchObject({ statusCode: 200, body: '{"answer":42}' });
  });

  it.each(['reset_before_answer', { status: 500 }] as const)('does not count a call that fails: %j', async (step) => {
    const customer = `unlucky-${JSON.stringify(step)}`;
    paidApi.play(step);
    expect(await statuses(customer, 10)).toEqual(Array.from({ length: 10 }, () => 502));
    paidApi.play({ status: 200, body: {} });
    expect(await statuses(customer, 6)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('calls nobody and asks for patience while DynamoDB does not answer', async () => {
    const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
    vi.spyOn(DynamoDBClient.prototype, 'send').mockRejectedValue(new Error('socket hang up'));
    paidApi.play({ status: 200, body: {} });
    expect(await call('globex')).toEqual({ statusCode: 503, headers: { 'retry-after': '1' } });
    expect(paidApi.requests).toHaveLength(0);
    vi.restoreAllMocks();
  });
});
