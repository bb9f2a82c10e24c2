/**
 * Operations on limits for operators: read their current state without reserving anything, and reset a subject's counts. Both find
 * the items by the algorithms' own keys.
 */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { keyUnder, stateUnder } from './algorithms/algorithms.ts';
import type { LimitState, Scope } from './policy/decision.ts';
import { fromDynamoDb, REPORT_CAPACITY, readAll, storeError, type Table } from './store/store.ts';

/**
 * The current state of each policy of the scope, in their order. A reservation of a request in progress counts.
 * @param subject whose calls are counted; ignored by a scope that counts `all`
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function readLimits(table: Table, scope: Scope, subject: string, now: number): Promise<LimitState[]> {
  const keys = scope.policies.map((policy) => keyUnder(scope, policy, subject, now));
  const items = await readAll(table, keys);
  return scope.policies.map((policy, index) => stateUnder(items[index] ?? {}, scope, policy, now));
}

/**
 * Resets the subject's limits: deletes what is counted now under each policy of the scope. Releasing a reservation afterwards
 * changes nothing. A process that has cached a refusal may return it for up to two more seconds.
 * @param now epoch milliseconds
 * @returns how many policies had a count
 * @throws StoreUnavailableError or StoreMisconfiguredError: some policies may be unchanged
 */
export async function forget(table: Table, scope: Scope, subject: string, now: number): Promise<number> {
  const keys = scope.policies.map((policy) => keyUnder(scope, policy, subject, now));
  const removed = await Promise.all(keys.map((key) => remove(table, key)));
  return removed.filter(Boolean).length;
}

/** @returns false if there was no such item */
async function remove(table: Table, pk: string): Promise<boolean> {
  try {
    const command = new DeleteItemCommand({
      TableName: table.name,
      Key: { pk: { S: pk } },
      ReturnValues: 'ALL_OLD',
      ...REPORT_CAPACITY,
    });
    return fromDynamoDb(await table.client.send(command)).Attributes !== undefined;
  } catch (error) {
    throw storeError(error, table.name);
  }
}
