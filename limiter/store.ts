/**
 * The limiter's table, and what DynamoDB's errors mean. Three things can go wrong and must not be mistaken for one
 * another: the condition failed (the limit's own no), DynamoDB is not answering now, or it never will as things stand.
 */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';

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

/** What a conditional write came to. `item` is what stands: after the write, or as it was when it refused. */
export type Write = { readonly applied: true; readonly item: Item } | { readonly applied: false; readonly item: Item };

export type Change = Pick<UpdateItemCommandInput, 'UpdateExpression' | 'ConditionExpression'> & {
  readonly values: Record<string, AttributeValue>;
  /**
   * `anytime`: the condition recognises a write that was already applied, so that the SDK may send it again.
   * `never`: it cannot, so one whose answer was lost fails instead of counting twice.
   */
  readonly repeat: 'anytime' | 'never';
};

/** One conditional UpdateItem. @throws StoreUnavailableError or StoreMisconfiguredError */
export async function write(table: Table, pk: string, change: Change): Promise<Write> {
  const command = new UpdateItemCommand({
    TableName: table.name,
    Key: { pk: { S: pk } },
    UpdateExpression: change.UpdateExpression,
    ConditionExpression: change.ConditionExpression,
    ExpressionAttributeValues: change.values,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (change.repeat === 'never') {
    sendOnce(command);
  }
  try {
    const { Attributes } = await table.client.send(command);
    return { applied: true, item: Attributes ?? {} };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      // Some DynamoDB-compatible stores leave the item out.
      return { applied: false, item: error.Item ?? (await read(table, pk)) };
    }
    throw storeError(error, table.name);
  }
}

/** One consistent GetItem; an empty item where there is none. @throws StoreUnavailableError or StoreMisconfiguredError */
export async function read(table: Table, pk: string): Promise<Item> {
  try {
    const command = new GetItemCommand({ TableName: table.name, Key: { pk: { S: pk } }, ConsistentRead: true });
    return (await table.client.send(command)).Item ?? {};
  } catch (error) {
    throw storeError(error, table.name);
  }
}

/** Sorts what the SDK throws. `ConditionalCheckFailedException` is no error and must be caught before. */
export function storeError(error: unknown, tableName: string): StoreUnavailableError | StoreMisconfiguredError {
  const { name, message } = error instanceof Error ? error : { name: 'Unknown', message: String(error) };
  if (name === 'ResourceNotFoundException') {
    return new StoreMisconfiguredError(`There is no table ${tableName} in this account and region.`, { cause: error });
  }
  const status = statusOf(error);
  const wontChange = status !== undefined ? status >= 400 && status < 500 && !isThrottling(name) : isCredentials(name);
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

function statusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: unknown } } | null)?.$metadata;
  return typeof metadata?.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/**
 * An attempt of unknown outcome, as an error that the SDK does not repeat. It must not carry the original as its
 * `cause`: the SDK looks through causes for one that is worth repeating.
 */
class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError';

  constructor(original: unknown) {
    super(original instanceof Error ? `${original.name}: ${original.message}` : String(original));
  }
}

/**
 * Lets the SDK repeat only attempts that DynamoDB says it refused (throttling). One whose answer was lost, or that
 * failed inside DynamoDB, may have been applied: it is not sent again.
 */
function sendOnce(command: UpdateItemCommand): void {
  command.middlewareStack.addRelativeTo(failFinallyWhenUnclear, {
    name: 'sendOnce',
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
}

function failFinallyWhenUnclear<Args, Result>(next: (args: Args) => Promise<Result>) {
  return async (args: Args): Promise<Result> => {
    try {
      return await next(args);
    } catch (error) {
      const status = statusOf(error);
      const isRefused = status !== undefined && status < 500;
      throw isRefused ? error : new LostAnswerError(error);
    }
  };
}
