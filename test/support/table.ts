/**
 * A table for one test file, in the DynamoDB of the test run. It records every request.
 */
import { DynamoDBClient, type DynamoDBClientConfig, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import type { Item, Table } from '../../limiter/index.ts';
import { createTable } from '../../local/aws/dynamodb.ts';
import { LOCAL_CREDENTIALS } from '../../local/aws/identity.ts';

export const dynamodb = inject('dynamodb');

/** For `describe.runIf`, for behavior of DynamoDB that other compatible databases do not share. */
export const isDynamoDbLocal = dynamodb.engine === 'DynamoDB Local';

export interface TestTable extends Table {
  /** @returns the names of the operations since the last call, including retries */
  readonly takeRequests: () => string[];
  readonly items: () => Promise<Item[]>;
  readonly put: (item: Item) => Promise<void>;
  /** @returns the counters by key, as plain numbers */
  readonly counters: () => Promise<Record<string, number>>;
}

export function dynamodbClient(options: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: dynamodb.endpoint,
    region: 'us-east-1',
    credentials: LOCAL_CREDENTIALS,
    maxAttempts: 2,
    ...options,
  });
}

export async function freshTable(options?: DynamoDBClientConfig): Promise<TestTable> {
  const name = `test-${crypto.randomUUID()}`;
  const client = dynamodbClient(options);
  const observer = dynamodbClient();
  await createTable(observer, name);

  let requests: string[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      requests.push(String(context.commandName).replace('Command', ''));
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'countRequests' },
  );

  async function items(): Promise<Item[]> {
    return (await observer.send(new ScanCommand({ TableName: name, ConsistentRead: true }))).Items ?? [];
  }

  return {
    client,
    name,
    items,
    async put(item) {
      await observer.send(new PutItemCommand({ TableName: name, Item: { ...item } }));
    },
    takeRequests: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    async counters() {
      const counted = (await items()).filter(({ cnt }) => cnt !== undefined);
      return Object.fromEntries(counted.map(({ pk, cnt }) => [pk?.S ?? '', Number(cnt?.N)]));
    },
  };
}
