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

/** A table on a server that returns the same error for every request, through the real SDK. */
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

describe('errors of DynamoDB', () => {
  it.each([
    [400, 'ProvisionedThroughputExceededException'],
    [400, 'ThrottlingException'],
    [400, 'RequestLimitExceeded'],
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailable'],
  ])('%d %s is unavailable', async (status, type) => {
    await expect(read(await tableThatAnswers(status, type), 'x')).rejects.toThrow(StoreUnavailableError);
  });

  it.each([
    [400, 'AccessDeniedException'],
    [400, 'ValidationException'],
    [400, 'UnrecognizedClientException'],
    [400, 'ExpiredTokenException'],
    [403, 'InvalidSignatureException'],
  ])('%d %s is misconfigured', async (status, type) => {
    await expect(read(await tableThatAnswers(status, type), 'x')).rejects.toThrow(StoreMisconfiguredError);
  });

  it('an error with status 200 is not treated as an absent item', async () => {
    await expect(read(await tableThatAnswers(200, 'InternalServerError'), 'x')).rejects.toThrow(StoreUnavailableError);
  });

  it('the message names a table that does not exist', async () => {
    const { client } = await freshTable();

    await expect(read({ client, name: 'nowhere' }, 'x')).rejects.toThrow('There is no table nowhere');
  });

  it.each([
    [Object.assign(new Error('late'), { name: 'TimeoutError' }), StoreUnavailableError],
    [Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), StoreUnavailableError],
    [Object.assign(new Error('none'), { name: 'CredentialsProviderError' }), StoreMisconfiguredError],
    // Cut off after its status, so its meaning is not known.
    [Object.assign(new Error('aborted'), { $metadata: { httpStatusCode: 400 } }), StoreUnavailableError],
    ['not even an error', StoreUnavailableError],
    [undefined, StoreUnavailableError],
  ])('without a response, %s', (error, kind) => {
    expect(storeError(error, 'limits')).toBeInstanceOf(kind);
  });

  it('the message of a parser is not passed on, because it quotes its input', () => {
    const error = new SyntaxError('Unexpected token in "B":c2FsdC1vZi1h');

    expect(storeError(error, 'limits').message).toBe(
      'DynamoDB is unavailable for the table limits: SyntaxError: the response is not JSON',
    );
  });
});
