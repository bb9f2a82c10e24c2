/**
 * What an operator does with limits from outside: looks how they stand, taking no place, and gives a subject a fresh
 * window. Both find the items by the algorithms' own keys.
 */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { keyUnder, stateUnder } from './algorithms/algorithms.ts';
import type { LimitState, Scope } from './policy/decision.ts';
import { readAll, SIGNED_FOR, signedFor, storeError, type Table } from './store/store.ts';

/**
 * How each policy of the scope stands, in their order. A place that a request holds while it is served counts as taken.
 * @param subject who is counted; ignored by a scope that counts all together
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function readLimits(table: Table, scope: Scope, subject: string, now: number): Promise<LimitState[]> {
  const keys = scope.policies.map((policy) => keyUnder(scope, policy, subject, now));
  const items = await readAll(table, keys);
  return scope.policies.map((policy, index) => stateUnder(items[index] ?? {}, scope, policy, now));
}

/**
 * Gives the subject a fresh window under each policy of the scope: what is counted for it now is deleted. A place that is
 * given back afterwards changes nothing, and a process that remembers a refusal may repeat it for two seconds.
 * @param now epoch milliseconds
 * @returns how many policies had counted anything
 * @throws StoreUnavailableError or StoreMisconfiguredError: then some policies may count as before
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
      ...SIGNED_FOR,
    });
    return signedFor(await table.client.send(command)).Attributes !== undefined;
  } catch (error) {
    throw storeError(error, table.name);
  }
}
