/**
 * A local stack for one test file, on the DynamoDB of the test run, and visitors who call it.
 */
import { readFile, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../../contract/endpoint.ts';
import type { Table } from '../../limiter/index.ts';
import { type Stack, type StackOptions, startStack } from '../../local/stack.ts';
import { dynamodb, dynamodbClient } from './table.ts';

export interface TestStack extends Omit<Stack, 'close'> {
  readonly table: Table;
  /** @returns the counters by key, as plain numbers */
  readonly counters: () => Promise<Record<string, number>>;
  readonly visit: (visit?: Visit) => Promise<Visited>;
  /** Stops the stack, and returns the log of the function. */
  readonly close: () => Promise<string>;
}

export interface Visit {
  /** The last part of the visitor's address, 127.0.0.x. @default 1 */
  readonly from?: number;
  readonly method?: string;
  readonly path?: string;
  /** Sent in addition to the body's hash; null removes a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
  /** @default the origin of the edge */
  readonly origin?: string;
}

export interface Visited {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON, or an empty object. */
  readonly json: Readonly<Record<string, unknown>>;
}

export async function startTestStack(options: Partial<StackOptions> = {}): Promise<TestStack> {
  const stack = await startStack({
    port: 0,
    concurrency: 'off',
    environment: {},
    dynamodb: { ...dynamodb, close: () => Promise.resolve() },
    ...options,
  });
  const client: DynamoDBClient = dynamodbClient();
  const table: Table = { client, name: stack.addresses.table };
  return {
    ...stack,
    table,
    async counters() {
      const { Items = [] } = await client.send(new ScanCommand({ TableName: table.name, ConsistentRead: true }));
      const counted = Items.filter(({ cnt }) => cnt !== undefined);
      return Object.fromEntries(counted.map(({ pk, cnt }) => [pk?.S ?? '', Number(cnt?.N)]));
    },
    visit: (visit) => send(stack.addresses.url, visit),
    async close() {
      await stack.close();
      const log = await readFile(stack.addresses.log, 'utf8');
      await rm(stack.addresses.log);
      return log;
    },
  };
}

async function send(url: string, visit: Visit = {}): Promise<Visited> {
  const { from = 1, method = 'POST', path = SESSION_PATH, headers = {}, body = '', origin = url } = visit;
  const sent = Object.entries({ [BODY_HASH_HEADER]: EMPTY_BODY_SHA256, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  const { promise, resolve, reject } = Promise.withResolvers<Visited>();
  const outgoing = httpRequest(
    new URL(path, origin),
    { method, headers: Object.fromEntries(sent), localAddress: `127.0.0.${from}`, agent: false },
    async (incoming) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) {
        chunks.push(chunk);
      }
      const text = Buffer.concat(chunks).toString();
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: jsonIn(text) });
    },
  );
  outgoing.on('error', reject);
  outgoing.end(body);
  return await promise;
}

function jsonIn(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
