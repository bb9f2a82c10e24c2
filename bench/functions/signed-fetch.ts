/**
 * The floor of a cold start: the same requests as in two-clients.ts, signed by aws4fetch and sent by fetch, without the SDK. It
 * has no retries, no distinction between errors and no timeouts. Do not deploy it.
 */
import { env } from 'node:process';
import { AwsClient } from 'aws4fetch';
import { fetchClientSecret, gateOf, reservationOf } from './floor-requests.ts';

const { TABLE_NAME: TableName = '', OPENAI_KEY_PARAMETER: Name, OPENAI_BASE_URL: baseUrl } = env;

const aws = new AwsClient({
  accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? '',
  secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? '',
  region: env['AWS_REGION'] ?? 'us-east-1',
  retries: 0,
});
const apiKey = TableName === '' ? undefined : await warmUp();

async function warmUp(): Promise<string | undefined> {
  const read = (pk: string) => dynamodb('GetItem', { TableName, Key: { pk: { S: pk } }, ConsistentRead: true });
  const [parameter] = await Promise.all([
    call('ssm', 'AmazonSSM.GetParameter', '1.1', { Name, WithDecryption: true }),
    read('salt'),
    read('switch'),
  ]);
  return (parameter as { readonly Parameter?: { readonly Value?: string } }).Parameter?.Value;
}

function dynamodb(operation: string, input: object): Promise<unknown> {
  return call('dynamodb', `DynamoDB_20120810.${operation}`, '1.0', input);
}

async function call(service: 'dynamodb' | 'ssm', target: string, version: string, input: object): Promise<unknown> {
  const endpoint = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? '';
  const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': target };
  const response = await aws.fetch(endpoint, {
    method: 'POST',
    headers,
    body: JSON.stringify(input),
    aws: { service },
  });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  return await response.json();
}

export async function handler(event: { readonly headers: Readonly<Record<string, string>> }) {
  const viewer = event.headers['cloudfront-viewer-address'] ?? '';
  await dynamodb('BatchGetItem', gateOf(TableName, viewer));
  await count(`client#${viewer}`, '10');
  await count('global', '1000000');
  return await fetchClientSecret(baseUrl, apiKey);
}

async function count(key: string, limit: string): Promise<void> {
  await dynamodb('UpdateItem', reservationOf(TableName, key, limit));
}
