/**
 * Compares the reduced SDK of the bundles with the complete SDK: same requests to the same endpoints, and same results.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as wholeDynamoDb from '@aws-sdk/client-dynamodb';
import * as wholeSsm from '@aws-sdk/client-ssm';
import { build } from 'esbuild';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundleOptions } from '../../scripts/build-function.ts';

type Sdk = Pick<
  typeof wholeDynamoDb,
  | 'DynamoDBClient'
  | 'BatchGetItemCommand'
  | 'GetItemCommand'
  | 'PutItemCommand'
  | 'UpdateItemCommand'
  | 'ConditionalCheckFailedException'
> &
  Pick<typeof wholeSsm, 'SSMClient' | 'GetParameterCommand'>;

interface Wire {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

interface Canned {
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

const COMPLETE: Sdk = { ...wholeDynamoDb, ...wholeSsm };
let cut: Sdk;

beforeAll(async () => {
  const bundle = join(import.meta.dirname, '../../dist/test/sdk.mjs');
  const names = Object.entries({
    '@aws-sdk/client-dynamodb':
      'DynamoDBClient, BatchGetItemCommand, GetItemCommand, PutItemCommand, UpdateItemCommand, ConditionalCheckFailedException',
    '@aws-sdk/client-ssm': 'SSMClient, GetParameterCommand',
  });
  const { entryPoints: _, ...options } = bundleOptions('', bundle);
  const contents = names.map(([client, imported]) => `export { ${imported} } from '${client}';`).join('\n');
  await build({ ...options, stdin: { contents, resolveDir: import.meta.dirname } });
  cut = await import(bundle);
});

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 30, 5), toFake: ['Date'] });
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');
  vi.stubEnv('AWS_SESSION_TOKEN', 'a-token');
  // So that the complete SDK finds no configuration files.
  vi.stubEnv('HOME', '/nowhere');
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const Key = { pk: { S: 'client#ゆき#3600' } };

/** Every operation that the functions call, with the same kinds of parameters. */
const OPERATIONS = {
  GetItem: (sdk: Sdk, client: object) =>
    dynamodb(sdk, client).send(new sdk.GetItemCommand({ TableName: 't', Key, ConsistentRead: true })),
  BatchGetItem: (sdk: Sdk, client: object) =>
    dynamodb(sdk, client).send(
      new sdk.BatchGetItemCommand({ RequestItems: { t: { Keys: [Key], ConsistentRead: true } } }),
    ),
  PutItem: (sdk: Sdk, client: object) =>
    dynamodb(sdk, client).send(
      new sdk.PutItemCommand({ TableName: 't', Item: { ...Key, salt: { B: new Uint8Array([0, 128, 255]) } } }),
    ),
  UpdateItem: (sdk: Sdk, client: object) =>
    dynamodb(sdk, client).send(
      new sdk.UpdateItemCommand({
        TableName: 't',
        Key,
        UpdateExpression: 'ADD cnt :one, ids_a :ids',
        ExpressionAttributeValues: { ':one': { N: '1' }, ':ids': { SS: ['a', 'b'] }, ':off': { BOOL: false } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    ),
  GetParameter: (sdk: Sdk, client: object) =>
    ssm(sdk, client).send(new sdk.GetParameterCommand({ Name: '/key', WithDecryption: true })),
};

function dynamodb(sdk: Sdk, options: object) {
  const client = new sdk.DynamoDBClient({ maxAttempts: 1, ...options });
  client.middlewareStack.addRelativeTo(fixedHeaders, { relation: 'after', toMiddleware: 'retryMiddleware' });
  return client;
}

function ssm(sdk: Sdk, options: object) {
  const client = new sdk.SSMClient({ maxAttempts: 1, ...options });
  client.middlewareStack.addRelativeTo(fixedHeaders, { relation: 'after', toMiddleware: 'retryMiddleware' });
  return client;
}

/** Fixes signed headers that can differ: a random number, and the SDK's description of itself. */
function fixedHeaders<Args extends { request: unknown }, Result>(next: (args: Args) => Promise<Result>) {
  return (args: Args) => {
    const { headers } = args.request as Wire;
    Object.assign(headers, { 'amz-sdk-invocation-id': 'fixed', 'x-amz-user-agent': 'fixed' });
    return next(args);
  };
}

type Operation = keyof typeof OPERATIONS;

/** @returns the requests to AWS, and the result of the operation */
async function exchange(sdk: Sdk, operation: Operation, answers: readonly Canned[] = [{ status: 200, body: '{}' }]) {
  const requests: Wire[] = [];
  const handle = (request: Wire) => {
    const { status, body, headers = {} } = answers[requests.length] ?? { status: 500, body: '' };
    const { method, protocol, hostname, path, body: sent } = request;
    const { 'user-agent': _, ...signed } = request.headers;
    requests.push({ method, protocol, hostname, path, headers: signed, body: textOf(sent) });
    return Promise.resolve({ response: { statusCode: status, headers, body: Readable.from([Buffer.from(body)]) } });
  };
  const client = { requestHandler: { handle }, maxAttempts: answers.length };
  const outcome = await OPERATIONS[operation](sdk, client).then(
    ({ $metadata, ...output }: { $metadata: unknown }) => ({ output }),
    ({ name, message, $fault, $retryable, Item, Message }) => ({ name, message, $fault, $retryable, Item, Message }),
  );
  return { requests, outcome };
}

function textOf(body: Wire['body']): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}

const operations = Object.keys(OPERATIONS) as Operation[];

describe('the SDK in the bundle sends the same requests as the complete SDK', () => {
  const places: readonly (readonly [string, Record<string, string>])[] = [
    ['eu-central-1', {}],
    ['cn-north-1', {}],
    ['us-gov-west-1', {}],
    ['us-iso-east-1', {}],
    ['us-east-1', { AWS_USE_FIPS_ENDPOINT: 'true' }],
    ['us-west-2', { AWS_USE_DUALSTACK_ENDPOINT: 'true' }],
    ['ap-northeast-1', { AWS_ACCOUNT_ID: '123456789012' }],
    ['ap-northeast-1', { AWS_ENDPOINT_URL: 'https://proxy.example/aws' }],
  ];
  const cases = operations.flatMap((operation) => places.map(([region, set]) => [operation, region, set] as const));

  it.each(cases)('%s to %s with %o', async (operation, region, set) => {
    for (const [name, value] of Object.entries({ AWS_REGION: region, ...set })) {
      vi.stubEnv(name, value);
    }
    const { requests } = await exchange(cut, operation);
    expect(requests[0]?.headers['authorization']).toMatch(new RegExp(`/20261130/${region}/.*Signature=[0-9a-f]{64}$`));
    expect(requests).toEqual((await exchange(COMPLETE, operation)).requests);
  });
});

describe('the SDK in the bundle gives the same result as the complete SDK for', () => {
  beforeEach(() => {
    vi.stubEnv('AWS_REGION', 'us-east-1');
  });

  const error = (status: number, type: string, more: object = {}): Canned => ({
    status,
    body: JSON.stringify({ __type: type, message: 'said by AWS', ...more }),
  });
  const refused = error(400, 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', {
    Item: { pk: { S: 'client' }, cnt: { N: '10' }, sealed: { B: 'AID/' }, ids_a: { SS: ['a'] } },
  });

  it.each<[string, Operation, readonly Canned[]]>([
    ['a failed condition, with its item', 'UpdateItem', [refused]],
    ['an item', 'GetItem', [{ status: 200, body: '{"Item":{"pk":{"S":"x"},"b":{"B":"AID/"},"t":{"BOOL":true}}}' }]],
    ['items', 'BatchGetItem', [{ status: 200, body: '{"Responses":{"t":[{"pk":{"S":"x"}}]},"UnprocessedKeys":{}}' }]],
    ['a parameter', 'GetParameter', [{ status: 200, body: '{"Parameter":{"Value":"sk-x","Version":3}}' }]],
    ['no such table', 'UpdateItem', [error(400, 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException')]],
    ['a throttled table', 'UpdateItem', [error(400, 'ProvisionedThroughputExceededException')]],
    ['another throttling error', 'PutItem', [error(400, 'com.amazon.coral.availability#ThrottlingException')]],
    ['no permission', 'UpdateItem', [error(400, 'com.amazon.coral.service#AccessDeniedException')]],
    ['a failure', 'UpdateItem', [error(500, 'InternalServerError')]],
    ['an error of another operation', 'GetItem', [error(400, 'TransactionCanceledException')]],
    ['no such parameter', 'GetParameter', [error(400, 'ParameterNotFound')]],
    ['no permission for it', 'GetParameter', [error(400, 'AccessDeniedException')]],
    ['no permission for its key', 'GetParameter', [error(400, 'InvalidKeyId')]],
    ['an HTML page', 'GetItem', [{ status: 502, body: '<html>' }]],
    ['an empty response', 'GetItem', [{ status: 503, body: '' }]],
  ])('%s', async (_, operation, answers) => {
    expect((await exchange(cut, operation, answers)).outcome).toEqual(
      (await exchange(COMPLETE, operation, answers)).outcome,
    );
  });

  it('a failed condition, which has the class that the limiter checks', async () => {
    const requestHandler = {
      handle: () =>
        Promise.resolve({
          response: { statusCode: refused.status, headers: {}, body: Readable.from([Buffer.from(refused.body)]) },
        }),
    };
    const failure = await OPERATIONS.UpdateItem(cut, { requestHandler }).catch((caught: unknown) => caught);
    expect(failure).toBeInstanceOf(cut.ConditionalCheckFailedException);
  });

  it('a skewed clock, which is corrected for the next attempt', async () => {
    const skewed: Canned = {
      ...error(403, 'InvalidSignatureException'),
      headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
    };
    const answers = [skewed, { status: 200, body: '{}' }];
    const ours = await exchange(cut, 'GetItem', answers);
    expect(ours.requests.map(({ headers }) => headers['x-amz-date'])).toEqual(['20261130T050000Z', '20261130T060000Z']);
    expect(ours).toEqual(await exchange(COMPLETE, 'GetItem', answers));
  });

  it('missing credentials, with the same error name', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    const { outcome } = await exchange(cut, 'GetItem');
    expect(outcome).toMatchObject({ name: 'CredentialsProviderError' });
  });
});
