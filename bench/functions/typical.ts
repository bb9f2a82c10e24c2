/**
 * The handler that most teams would write for the same work: the document client, Powertools for the log and the metrics, zod
 * for validation, the openai SDK for the key. Do not deploy it: it refuses nobody.
 */
import { env } from 'node:process';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { OpenAI } from 'openai';
import { z } from 'zod';

const Environment = z.object({
  TABLE_NAME: z.string().optional(),
  OPENAI_KEY_PARAMETER: z.string().optional(),
  OPENAI_BASE_URL: z.url().optional(),
});
const Event = z.object({ rawPath: z.literal('/session'), headers: z.record(z.string(), z.string()) });

const { TABLE_NAME, OPENAI_KEY_PARAMETER: Name, OPENAI_BASE_URL: baseURL } = Environment.parse(env);

/** Without configuration, nothing is built, as in the issuer. The import then measures only the code. */
export const handler = TABLE_NAME === undefined ? undefined : await start(TABLE_NAME);

async function start(TableName: string) {
  const logger = new Logger({ serviceName: 'typical' });
  const metrics = new Metrics({ namespace: 'Typical', serviceName: 'typical' });
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const ssm = new SSMClient({});
  const read = (pk: string) => dynamodb.send(new GetCommand({ TableName, Key: { pk }, ConsistentRead: true }));
  const [parameter] = await Promise.all([
    ssm.send(new GetParameterCommand({ Name, WithDecryption: true })),
    read('salt'),
    read('switch'),
  ]);
  const openai = new OpenAI({ apiKey: parameter.Parameter?.Value ?? '', baseURL: baseURL ?? null });

  async function count(pk: string, limit: number): Promise<void> {
    await dynamodb.send(
      new UpdateCommand({
        TableName,
        Key: { pk },
        UpdateExpression: 'SET expires_at = :kept_until ADD cnt :one',
        ConditionExpression: 'attribute_not_exists(cnt) OR cnt < :limit',
        ExpressionAttributeValues: { ':one': 1, ':limit': limit, ':kept_until': 2_000_000_000 },
        ReturnValues: 'ALL_NEW',
      }),
    );
  }

  return async (input: unknown) => {
    const { headers } = Event.parse(input);
    const viewer = headers['cloudfront-viewer-address'] ?? '';
    const Keys = [{ pk: 'switch' }, { pk: `block#${viewer}` }];
    await dynamodb.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }));
    await count(`client#${viewer}`, 10);
    await count('global', 1_000_000);
    const secret = await openai.realtime.clientSecrets.create({
      expires_after: { anchor: 'created_at', seconds: 60 },
      session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
    });
    metrics.addMetric('KeysIssued', MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
    logger.info('issued', { viewer });
    return { statusCode: 200, body: JSON.stringify(secret) };
  };
}
