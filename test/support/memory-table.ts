/**
 * An in-memory DynamoDB with the two operations that the limiter and the kill switch use, so that tens of thousands of schedules run
 * in seconds. test/limiter/proofs/memory-table.test.ts compares it with DynamoDB Local. A test can choose the order in which pending
 * requests are processed, and so cause race conditions on purpose.
 */
import { setImmediate as otherTasks } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Item, Table } from '../../limiter/index.ts';
import { condition, update } from './expressions.ts';

export interface MemoryTable extends Table {
  readonly items: () => readonly Item[];
  readonly item: (pk: string) => Item | undefined;
  /** @returns the number of requests since the last call */
  readonly takeRequests: () => number;
}

/** Chooses which of the pending requests is processed next: a whole number from 0 up to, but not including, `waiting`. */
export type Turns = (waiting: number) => number;

/** Without `turns`, every request is processed at once. @param initial what the table contains at first */
export function memoryTable(turns?: Turns, initial: readonly Item[] = []): MemoryTable {
  const items = new Map(initial.map((item) => [item['pk']?.S ?? '', item]));
  let requests = 0;
  const serve = (command: unknown) =>
    command instanceof UpdateItemCommand ? updateItem(items, command) : getItem(items, command);
  const inTurn = turns === undefined ? undefined : takingTurns(turns, serve);

  async function send(command: unknown): Promise<unknown> {
    requests += 1;
    return await (inTurn === undefined ? serve(command) : inTurn(command));
  }

  return {
    name: 'memory',
    // The limiter uses only `send` of a client.
    client: { send } as unknown as DynamoDBClient,
    items: () => [...items.values()],
    item: (pk) => items.get(pk),
    takeRequests: () => {
      const taken = requests;
      requests = 0;
      return taken;
    },
  };
}

function takingTurns(turns: Turns, serve: (command: unknown) => unknown) {
  const waiting: (() => void)[] = [];
  let isServing = false;

  async function serveAll(): Promise<void> {
    while (waiting.length > 0) {
      await otherTasks();
      const [next] = waiting.splice(turns(waiting.length), 1);
      next?.();
    }
    isServing = false;
  }

  return (command: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(serve(command));
        } catch (error) {
          reject(error);
        }
      });
      if (!isServing) {
        isServing = true;
        serveAll().catch(reject);
      }
    });
}

function updateItem(items: Map<string, Item>, { input }: UpdateItemCommand) {
  const pk = keyOf(input);
  const before = items.get(pk);
  const values = input.ExpressionAttributeValues ?? {};
  const named = (expression = '') =>
    expression.replaceAll(/#\w+/g, (name) => input.ExpressionAttributeNames?.[name] ?? name);
  const asksForItem = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  if (!condition(named(input.ConditionExpression))(before ?? {}, values)) {
    throw new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: { httpStatusCode: 400, attempts: 1 },
      ...(before !== undefined && asksForItem && { Item: { ...before } }),
    });
  }
  const after: Record<string, AttributeValue> = { ...before, pk: { S: pk } };
  update(named(input.UpdateExpression))(before ?? {}, after, values);
  items.set(pk, after);
  return { Attributes: { ...after }, ConsumedCapacity: {} };
}

function getItem(items: Map<string, Item>, command: unknown) {
  if (!(command instanceof GetItemCommand)) {
    throw new TypeError('The memory table supports only UpdateItem and GetItem.');
  }
  const item = items.get(keyOf(command.input));
  return item === undefined ? { ConsumedCapacity: {} } : { Item: { ...item }, ConsumedCapacity: {} };
}

function keyOf({ Key }: Pick<UpdateItemCommandInput, 'Key'>): string {
  return Key?.['pk']?.S ?? '';
}
