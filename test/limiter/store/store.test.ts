import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import {
  read,
  StoreMisconfiguredError,
  StoreUnavailableError,
  storeError,
  type Table,
} from '../../../limiter/store/store.ts';
import { freshTable } from '../../support/table.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A DynamoDB that says one thing to everybody, through the real SDK. */
async function tableThatAnswers(status: number, type: string): Promise<Table> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'words' }));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  return { client: new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 }), name: 'limits' };
}

describe('what DynamoDB says when it says no', () => {
  it.each([
    [400, 'ProvisionedThroughputExceededException'],
    [400, 'ThrottlingException'],
    [400, 'RequestLimitExceeded'],
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailable'],
  ])('%d %s may pass: unavailable', async (status, type) => {
    await expect(read(await tableThatAnswers(status, type), 'x')).rejects.toThrow(StoreUnavailableError);
  });

  it.each([
    [400, 'AccessDeniedException'],
    [400, 'ValidationException'],
    [400, 'UnrecognizedClientException'],
    [400, 'ExpiredTokenException'],
    [403, 'InvalidSignatureException'],
  ])('%d %s will not: misconfigured', async (status, type) => {
    await expect(read(await tableThatAnswers(status, type), 'x')).rejects.toThrow(StoreMisconfiguredError);
  });

  it('an error that comes with status 200 is not taken for "there is no such item"', async () => {
    await expect(read(await tableThatAnswers(200, 'InternalServerError'), 'x')).rejects.toThrow(StoreUnavailableError);
  });

  it('a table that does not exist is named', async () => {
    const { client } = await freshTable();

    await expect(read({ client, name: 'nowhere' }, 'x')).rejects.toThrow('There is no table nowhere');
  });

  it.each([
    [Object.assign(new Error('late'), { name: 'TimeoutError' }), StoreUnavailableError],
    [Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), StoreUnavailableError],
    [Object.assign(new Error('none'), { name: 'CredentialsProviderError' }), StoreMisconfiguredError],
    // Broken off after its status: what it was to say, nobody knows.
    [Object.assign(new Error('aborted'), { $metadata: { httpStatusCode: 400 } }), StoreUnavailableError],
    ['not even an error', StoreUnavailableError],
    [undefined, StoreUnavailableError],
  ])('without an answer, %s', (error, kind) => {
    expect(storeError(error, 'limits')).toBeInstanceOf(kind);
  });

  it("a parser's complaint is not passed on, for it quotes what it read", () => {
    const error = new SyntaxError('Unexpected token in "B":c2FsdC1vZi1h');

    expect(storeError(error, 'limits').message).toBe(
      'DynamoDB does not serve limits: SyntaxError: the answer is not JSON',
    );
  });
});
