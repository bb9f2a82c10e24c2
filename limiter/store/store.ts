/**
 * Requests to the limiter's table, and the meaning of DynamoDB's errors. Three cases have to be distinguished: the condition failed
 * (the limit refuses), DynamoDB is unavailable and a retry may succeed, or a retry cannot succeed until something is fixed.
 */
import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { isRefusal, nameAndMessage } from './aws-error.ts';
import { sendOnce } from './send-once.ts';

export type Item = Readonly<Record<string, AttributeValue>>;

export interface Table {
  /** The DynamoDB client. Its timeouts and number of attempts apply. */
  readonly client: DynamoDBClient;
  readonly name: string;
}

/** Timeout, throttling, 5xx or lost connection. A retry may succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** No such table, no permission, no credentials or an invalid request. A retry cannot succeed until somebody fixes it. */
export class StoreMisconfiguredError extends Error {
  override readonly name = 'StoreMisconfiguredError';
}

/** The result of a conditional write. `item` is the item after the write, or the current item if the write was refused. */
export type Write = { readonly applied: true; readonly item: Item } | { readonly applied: false; readonly item: Item };

export type Change = Pick<
  UpdateItemCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames'
> & {
  readonly values: Record<string, AttributeValue>;
  /**
   * `anytime`: the condition recognises a write that was already applied, so the SDK may retry it.
   * `never`: it does not, so a write whose response was lost fails instead of counting twice.
   */
  readonly repeat: 'anytime' | 'never';
  /**
   * `if repeated`: the caller needs the item of a refusal only to see whether an earlier attempt was applied. Then the refusal
   * of a first attempt comes without the item, which makes the response smaller; after a retry, the item is read.
   * @default 'always'
   */
  readonly refusedItem?: 'always' | 'if repeated';
};

/** One conditional UpdateItem. @throws StoreUnavailableError or StoreMisconfiguredError */
export async function write(table: Table, pk: string, change: Change): Promise<Write> {
  const command = new UpdateItemCommand({
    TableName: table.name,
    Key: { pk: { S: pk } },
    UpdateExpression: change.UpdateExpression,
    ConditionExpression: change.ConditionExpression,
    ExpressionAttributeNames: change.ExpressionAttributeNames,
    ExpressionAttributeValues: change.values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: change.refusedItem === 'if repeated' ? 'NONE' : 'ALL_OLD',
  });
  if (change.repeat === 'never') {
    sendOnce(command);
  }
  try {
    const { Attributes } = await table.client.send(command);
    if (Attributes === undefined) {
      throw new Error(NOT_FROM_DYNAMODB);
    }
    return { applied: true, item: Attributes };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      const isUnneeded = change.refusedItem === 'if repeated' && !mayBeApplied(change, error);
      // Some DynamoDB-compatible stores do not return the item.
      return { applied: false, item: error.Item ?? (isUnneeded ? {} : await read(table, pk)) };
    }
    throw storeError(error, table.name);
  }
}

/** Whether an attempt before the refused one may have been applied, with its response lost. */
function mayBeApplied({ repeat }: Change, { $metadata }: ConditionalCheckFailedException): boolean {
  return repeat === 'anytime' && $metadata.attempts !== 1;
}

/** One consistent GetItem. An absent item is returned as `{}`. @throws StoreUnavailableError or StoreMisconfiguredError */
export async function read(table: Table, pk: string): Promise<Item> {
  try {
    const Key = { pk: { S: pk } };
    const command = new GetItemCommand({ TableName: table.name, Key, ConsistentRead: true, ...REPORT_CAPACITY });
    return fromDynamoDb(await table.client.send(command)).Item ?? {};
  } catch (error) {
    throw storeError(error, table.name);
  }
}

/**
 * Several items in one consistent BatchGetItem, in the order of their keys. An absent item is returned as `{}`.
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function readAll(table: Table, pks: readonly string[]): Promise<Item[]> {
  const Keys = pks.map((pk) => ({ pk: { S: pk } }));
  try {
    const RequestItems = { [table.name]: { Keys, ConsistentRead: true } };
    const command = new BatchGetItemCommand({ RequestItems, ...REPORT_CAPACITY });
    const { Responses, UnprocessedKeys } = fromDynamoDb(await table.client.send(command));
    if (UnprocessedKeys?.[table.name] !== undefined) {
      throw new Error('DynamoDB read only some of the requested items');
    }
    const items = Responses?.[table.name] ?? [];
    return pks.map((pk) => items.find((item) => item['pk']?.S === pk) ?? {});
  } catch (error) {
    throw storeError(error, table.name);
  }
}

/**
 * One PutItem. @returns false if the item already exists and `onlyIfNew` is set
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function put(table: Table, item: Item, { onlyIfNew = false } = {}): Promise<boolean> {
  const condition = onlyIfNew ? { ConditionExpression: 'attribute_not_exists(pk)' } : {};
  try {
    const command = new PutItemCommand({ TableName: table.name, Item: { ...item }, ...condition, ...REPORT_CAPACITY });
    fromDynamoDb(await table.client.send(command));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return false;
    }
    throw storeError(error, table.name);
  }
}

const NOT_FROM_DYNAMODB = 'the response did not come from DynamoDB';

/**
 * Requests the consumed capacity, at no cost, so that every genuine response contains it. An update does not need it: its response
 * contains the item that it wrote.
 */
export const REPORT_CAPACITY = { ReturnConsumedCapacity: 'TOTAL' } as const;

/**
 * Checks that a response came from DynamoDB. If a proxy in between returns an error with status 200, the SDK parses it as `{}`. That
 * would look like an absent item, so like "not paused" or like an empty window, and would admit callers.
 */
export function fromDynamoDb<Output extends { readonly ConsumedCapacity?: unknown }>(output: Output): Output {
  if (output.ConsumedCapacity === undefined) {
    throw new Error(NOT_FROM_DYNAMODB);
  }
  return output;
}

/** Classifies an error of the SDK. `ConditionalCheckFailedException` is not an error and has to be caught before. */
export function storeError(error: unknown, tableName: string): StoreUnavailableError | StoreMisconfiguredError {
  const { name, message } = nameAndMessage(error);
  if (name === 'ResourceNotFoundException') {
    return new StoreMisconfiguredError(`There is no table ${tableName} in this account and region.`, { cause: error });
  }
  const isPermanent = isRefusal(error) ? !isThrottling(name) : isCredentials(name);
  return isPermanent
    ? new StoreMisconfiguredError(`DynamoDB rejected a request to the table ${tableName}: ${name}: ${message}`, {
        cause: error,
      })
    : new StoreUnavailableError(`DynamoDB is unavailable for the table ${tableName}: ${name}: ${message}`, {
        cause: error,
      });
}

const THROTTLING = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'LimitExceededException',
  'TransactionConflictException',
]);

function isThrottling(name: string): boolean {
  return THROTTLING.has(name);
}

function isCredentials(name: string): boolean {
  return name === 'CredentialsProviderError';
}
