/**
 * The floor of a key: the same requests as the issuer's, one after the other as it sends them, and nothing else. No
 * refusal, no retry of its own, no validation, no log. Not to be deployed.
 */
import { env } from 'node:process';
import { BatchGetItemCommand, DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { fetchClientSecret } from './client-secret.ts';

const { TABLE_NAME, OPENAI_KEY_PARAMETER: Name = '', OPENAI_BASE_URL: baseUrl } = env;

interface Event {
  readonly headers: Readonly<Record<string, string>>;
}

/** Without configuration nothing is built, as in the issuer: its import is the code's alone. */
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
    await dynamodb.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: key } },
        UpdateExpression: 'SET expires_at = :kept_until ADD cnt :one',
        ConditionExpression: 'attribute_not_exists(cnt) OR cnt < :limit',
        ExpressionAttributeValues: { ':one': { N: '1' }, ':limit': { N: limit }, ':kept_until': { N: '2000000000' } },
        ReturnValues: 'ALL_NEW',
      }),
    );
  }

  return async (event: Event) => {
    const viewer = event.headers['cloudfront-viewer-address'] ?? '';
    const Keys = [{ pk: { S: 'switch' } }, { pk: { S: `block#${viewer}` } }];
    await dynamodb.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }));
    await count(`client#${viewer}`, '10');
    await count('global', '1000000');
    return await fetchClientSecret(baseUrl, apiKey);
  };
}
