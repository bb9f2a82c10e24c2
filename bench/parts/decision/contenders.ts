/** The limiters that are compared: each of our algorithms, a raw write as the floor, and the limiters of others. */
import { ConditionalCheckFailedException, type DynamoDB } from '@aws-sdk/client-dynamodb';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { createLimiter, parsePolicies, type Table } from '../../../limiter/index.ts';
import { createTable } from '../../../local/aws/dynamodb.ts';
import { reservationOf } from '../../functions/floor-requests.ts';
import type { CountingClient, LocalDynamoDb } from '../../harness/local-dynamodb.ts';
import { addThenCompare } from '../../incident/add-then-compare.ts';

/** Every contender admits this many calls in a window. */
export const LIMIT = 10;
export const TABLE_NAME = 'limits';
const WINDOW_S = 3_600;
const PEERS_TABLE = 'rate-limiter-flexible';

/** @returns whether the call is admitted */
export type Decide = (subject: string) => Promise<boolean>;

export interface Contender {
  readonly decide: Decide;
  readonly takeRequests: () => number;
  /** @returns the count that the store has for a subject */
  readonly counter: (subject: string) => Promise<number>;
}

export type ContenderName = 'raw' | 'fixed' | 'sliding' | 'bucket' | 'flexible' | 'addThenCompare';

export async function createContenders(dynamodb: LocalDynamoDb): Promise<Record<ContenderName, Contender>> {
  const { client } = dynamodb.client();
  const name = TABLE_NAME;
  await createTable(client, name);
  await client.createTable({
    TableName: PEERS_TABLE,
    KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const contender = (build: (table: Table & { client: DynamoDB }) => Omit<Contender, 'takeRequests'>): Contender => {
    const counting: CountingClient = dynamodb.client();
    return { ...build({ client: counting.client, name }), takeRequests: counting.takeRequests };
  };
  return {
    raw: contender(rawWrite),
    fixed: contender((table) => ours(table, `${LIMIT}/1h`)),
    sliding: contender((table) => ours(table, `sliding ${LIMIT}/1h`)),
    bucket: contender((table) => ours(table, `bucket ${LIMIT}/1h burst ${LIMIT}`)),
    flexible: contender(({ client }) => flexible(client)),
    addThenCompare: contender((table) => addsFirst(table)),
  };
}

/** The floor: one conditional write and nothing else. */
function rawWrite({ client, name }: { readonly client: DynamoDB; readonly name: string }) {
  const keyOf = (subject: string) => `raw#${subject}`;
  const decide: Decide = async (subject) => {
    try {
      await client.updateItem(reservationOf(name, keyOf(subject), String(LIMIT)));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return false;
      }
      throw error;
    }
  };
  return {
    decide,
    async counter(subject: string) {
      const Key = { pk: { S: keyOf(subject) } };
      const { Item } = await client.getItem({ TableName: name, Key, ConsistentRead: true });
      return Number(Item?.['cnt']?.N);
    },
  };
}

function ours(table: Table, text: string) {
  // The clock stands still for the whole run, so no window ends in the middle of it.
  const now = Date.now();
  const scopes = [{ name: 'client', policies: parsePolicies(text), counts: 'each' }] as const;
  const limiter = createLimiter({ table, scopes, now: () => now });
  return {
    decide: async (subject: string) => (await limiter.reserve(subject)).admitted,
    async counter(subject: string) {
      const outcome = await limiter.reserve(subject);
      const { limit, remaining } = outcome.admitted ? outcome.nearest : outcome.state;
      return limit - remaining;
    },
  };
}

export function flexible(storeClient: DynamoDB, further: { readonly inMemoryBlockOnConsumed?: number } = {}) {
  const options = { ...further, storeClient, tableName: PEERS_TABLE, tableCreated: true, ttlSet: true };
  const limiter = new RateLimiterDynamo({ ...options, points: LIMIT, duration: WINDOW_S, keyPrefix: 'peer' });
  return {
    decide: (subject: string) =>
      limiter.consume(subject).then(
        () => true,
        (refusal: unknown) => {
          if (refusal instanceof Error) {
            throw refusal;
          }
          return false;
        },
      ),
    counter: async (subject: string) => (await limiter.get(subject))?.consumedPoints ?? 0,
  };
}

function addsFirst(table: Table) {
  const call = (subject: string) => addThenCompare(table, subject, LIMIT, WINDOW_S * 1_000, Date.now());
  return {
    decide: async (subject: string) => (await call(subject)).admitted,
    // It cannot read the counter without adding to it.
    counter: async (subject: string) => (await call(subject)).counter - 1,
  };
}
