import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timeoutOptions } from '../../lambda/aws-timeouts.ts';
import { type Answer, listen, send } from '../../local/http/http-server.ts';

/** The error of a call whose attempts all get this response. */
async function failureAt(answer: Answer) {
  const { origin: endpoint, close } = await listen((_, response) => send(response, answer));
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, ...timeoutOptions(1_000, 2) });
  onTestFinished(async () => {
    client.destroy();
    await close();
  });
  const call = client.send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'key' } } }));
  return await call.then(
    () => expect.unreachable('It succeeded'),
    (error: { readonly name: string; readonly $metadata: { attempts: number; totalRetryDelay: number } }) => error,
  );
}

function refusal(status: number, type: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: JSON.stringify({ __type: type, message: 'said by AWS' }) };
}

describe('an AWS client with two attempts', () => {
  it.each([
    ['a failure', refusal(500, 'InternalServerError')],
    ['throttling, after which the SDK would wait a second', refusal(400, 'ThrottlingException')],
    [
      'Retry-After, after which the SDK would wait six seconds',
      refusal(503, 'ServiceUnavailable', { 'retry-after': '60' }),
    ],
    ['x-amz-retry-after', refusal(503, 'ServiceUnavailable', { 'x-amz-retry-after': '60000' })],
  ])('retries at most a tenth of a second after %s', async (_, answer) => {
    const { $metadata } = await failureAt(answer);

    expect($metadata.attempts).toBe(2);
    expect($metadata.totalRetryDelay).toBeLessThanOrEqual(100);
  });

  it('does not retry after a refusal', async () => {
    const { name, $metadata } = await failureAt(refusal(400, 'AccessDeniedException'));

    expect(name).toBe('AccessDeniedException');
    expect($metadata.attempts).toBe(1);
  });
});
