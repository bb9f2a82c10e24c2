/**
 * The limiter's table, and what DynamoDB's errors mean. Three things can go wrong and must not be mistaken for one
 * another: the condition failed (the limit's own no), DynamoDB is not answering now, or it never will as things stand.
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
import { isRefusal, wordsOf } from './aws-error.ts';
import { sendOnce } from './send-once.ts';

export type Item = Readonly<Record<string, AttributeValue>>;

export interface Table {
  /** A client whose attempts and timeouts are its owner's. */
  readonly client: DynamoDBClient;
  readonly name: string;
}

/** Timeouts, throttling, 5xx, broken connections: the same request may succeed later. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** No such table, no permission, no credentials, an invalid request: someone has to mend something first. */
export class StoreMisconfiguredError extends Error {
  override readonly name = 'StoreMisconfiguredError';
}

/** What a conditional write came to. `item` is what stands: after the write, or as it was when it refused, if that was asked. */
export type Write = { readonly applied: true; readonly item: Item } | { readonly applied: false; readonly item: Item };

export type Change = Pick<
  UpdateItemCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames'
> & {
  readonly values: Record<string, AttributeValue>;
  /**
   * `anytime`: the condition recognises a write that was already applied, so that the SDK may send it again.
   * `never`: it cannot, so one whose answer was lost fails instead of counting twice.
   */
  readonly repeat: 'anytime' | 'never';
  /**
   * `if repeated`: a refusal needs the item only to see whether an earlier attempt was applied. A first attempt's then comes
   * without it, which is less for DynamoDB to write and for us to read, and after a repeat the item is read.
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
      throw new Error(NOT_DYNAMODBS);
    }
    return { applied: true, item: Attributes };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      const isUnneeded = change.refusedItem === 'if repeated' && !mayBeApplied(change, error);
      // Some DynamoDB-compatible stores leave the item out.
      return { applied: false, item: error.Item ?? (isUnneeded ? {} : await read(table, pk)) };
    }
    throw storeError(error, table.name);
  }
}

/** Whether an attempt before the refused one may have been applied, its answer lost. */
function mayBeApplied({ repeat }: Change, { $metadata }: ConditionalCheckFailedException): boolean {
  return repeat === 'anytime' && $metadata.attempts !== 1;
}

/** One consistent GetItem; an empty item where there is none. @throws StoreUnavailableError or StoreMisconfiguredError */
export async function read(table: Table, pk: string): Promise<Item> {
  try {
    const Key = { pk: { S: pk } };
    const command = new GetItemCommand({ TableName: table.name, Key, ConsistentRead: true, ...SIGNED_FOR });
    return signedFor(await table.client.send(command)).Item ?? {};
  } catch (error) {
    throw storeError(error, table.name);
  }
}

/**
 * Several items in one consistent BatchGetItem, in the order of their keys; an empty item where there is none.
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function readAll(table: Table, pks: readonly string[]): Promise<Item[]> {
  const Keys = pks.map((pk) => ({ pk: { S: pk } }));
  try {
    const RequestItems = { [table.name]: { Keys, ConsistentRead: true } };
    const command = new BatchGetItemCommand({ RequestItems, ...SIGNED_FOR });
    const { Responses, UnprocessedKeys } = signedFor(await table.client.send(command));
    if (UnprocessedKeys?.[table.name] !== undefined) {
      throw new Error('it read only a part of what was asked');
    }
    const items = Responses?.[table.name] ?? [];
    return pks.map((pk) => items.find((item) => item['pk']?.S === pk) ?? {});
  } catch (error) {
    throw storeError(error, table.name);
  }
}

/**
 * One PutItem. @returns false if there is such an item already and `onlyIfNew` is set
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function put(table: Table, item: Item, { onlyIfNew = false } = {}): Promise<boolean> {
  const condition = onlyIfNew ? { ConditionExpression: 'attribute_not_exists(pk)' } : {};
  try {
    const command = new PutItemCommand({ TableName: table.name, Item: { ...item }, ...condition, ...SIGNED_FOR });
    signedFor(await table.client.send(command));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return false;
    }
    throw storeError(error, table.name);
  }
}

const NOT_DYNAMODBS = "the answer is not one of DynamoDB's";

/** Costs nothing, and makes every answer tell that it is one. An update's tells it anyway: the item that it wrote has a key. */
export const SIGNED_FOR = { ReturnConsumedCapacity: 'TOTAL' } as const;

/**
 * An error that came with status 200, from whatever stands in between, is `{}` to the SDK: no such item, so not paused;
 * no attributes, so the first of its window. It must not let anybody in.
 */
export function signedFor<Output extends { readonly ConsumedCapacity?: unknown }>(output: Output): Output {
  if (output.ConsumedCapacity === undefined) {
    throw new Error(NOT_DYNAMODBS);
  }
  return output;
}

/** Sorts what the SDK throws. `ConditionalCheckFailedException` is no error and must be caught before. */
export function storeError(error: unknown, tableName: string): StoreUnavailableError | StoreMisconfiguredError {
  const { name, message } = wordsOf(error);
  if (name === 'ResourceNotFoundException') {
    return new StoreMisconfiguredError(`There is no table ${tableName} in this account and region.`, { cause: error });
  }
  const wontChange = isRefusal(error) ? !isThrottling(name) : isCredentials(name);
  return wontChange
    ? new StoreMisconfiguredError(`DynamoDB refuses ${tableName}: ${name}: ${message}`, { cause: error })
    : new StoreUnavailableError(`DynamoDB does not serve ${tableName}: ${name}: ${message}`, { cause: error });
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
