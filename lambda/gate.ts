/**
 * What has to be known before anything is reserved, in one consistent read: whether the kill switch is on, and, for a request
 * with an Idempotency-Key, whether it has been answered already.
 */
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { read, StoreUnavailableError, storeError, type Table } from '../limiter/index.ts';
import { SWITCH_KEY, type Switch, switchIn } from './kill-switch.ts';
import { type Replay, type ReplayKey, replayIn } from './replay.ts';

export interface Gate {
  readonly killSwitch: Switch;
  readonly replay: Replay;
}

/**
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError: then no key may leave
 */
export async function readGate(table: Table, replayKey: ReplayKey | undefined, now: number): Promise<Gate> {
  if (replayKey === undefined) {
    return { killSwitch: switchIn(await read(table, SWITCH_KEY)), replay: { kind: 'absent' } };
  }
  const items = await readBoth(table, SWITCH_KEY, replayKey.pk);
  return { killSwitch: switchIn(items[0]), replay: replayIn(items[1], replayKey, now) };
}

async function readBoth(table: Table, first: string, second: string) {
  const Keys = [{ pk: { S: first } }, { pk: { S: second } }];
  const command = new BatchGetItemCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } });
  try {
    const { Responses, UnprocessedKeys } = await table.client.send(command);
    if (UnprocessedKeys?.[table.name] !== undefined) {
      throw new StoreUnavailableError(`DynamoDB read only a part of what was asked of ${table.name}.`);
    }
    const items = Responses?.[table.name] ?? [];
    const find = (pk: string) => items.find((item) => item['pk']?.S === pk) ?? {};
    return [find(first), find(second)] as const;
  } catch (error) {
    throw error instanceof StoreUnavailableError ? error : storeError(error, table.name);
  }
}
