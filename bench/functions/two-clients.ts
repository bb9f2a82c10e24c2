/**
 * The floor of a key: the same requests as the issuer's, in the same order, and nothing else. It has no refusals, no retries of
 * its own, no validation and no log. Do not deploy it.
 */
import { env } from 'node:process';
import { BatchGetItemCommand, DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { fetchClientSecret, gateOf, reservationOf } from './floor-requests.ts';

const { TABLE_NAME, OPENAI_KEY_PARAMETER: Name = '', OPENAI_BASE_URL: baseUrl } = env;

interface Event {
  readonly headers: Readonly<Record<string, string>>;
}

/** Without configuration, nothing is built, as in the issuer. The import then measures only the code. */
export const handler = TABLE_NAME === undefined ? undefined : await start(TABLE_NAME);

async function start(TableName: string) {
  const dynamodb = new DynamoDBClient({});
  const ssm = new SSMClient({});
  const read = (pk: string) =>
    dynamodb.send(new GetItemCommand({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true }));
  const [parameter] = await Promise.all([
    ssm.send(new GetParameterCommand({ Name, WithDecryption: true })),
    read('salt'),
    read('switch'),
  ]);
  const apiKey = parameter.Parameter?.Value;

  async function count(key: string, limit: string): Promise<void> {
    await dynamodb.send(new UpdateItemCommand(reservationOf(TableName, key, limit)));
  }

  return async (event: Event) => {
    const viewer = event.headers['cloudfront-viewer-address'] ?? '';
    await dynamodb.send(new BatchGetItemCommand(gateOf(TableName, viewer)));
    await count(`client#${viewer}`, '10');
    await count('global', '1000000');
    return await fetchClientSecret(baseUrl, apiKey);
  };
}
