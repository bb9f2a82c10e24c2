/**
 * What has to be known before anything is reserved, in one consistent read: whether the kill switch is on, whether this
 * visitor is blocked, and any further items that the request depends on.
 */
import { type Item, readAll, type Table } from '../../limiter/index.ts';
import type { ViewerId } from '../visitor/viewer.ts';
import { type Block, blockIn, blockKey } from './block.ts';
import { SWITCH_KEY, type Switch, switchIn } from './kill-switch.ts';

export interface Gate {
  readonly killSwitch: Switch;
  readonly block: Block | undefined;
}

/**
 * @param furtherKeys partition keys of items that are read along
 * @param now epoch milliseconds
 * @returns the further items in the order of their keys, `{}` for one that is absent
 * @throws StoreUnavailableError or StoreMisconfiguredError: then no key may leave
 */
export async function readGate(
  table: Table,
  viewer: ViewerId,
  furtherKeys: readonly string[],
  now: number,
): Promise<{ readonly gate: Gate; readonly further: readonly Item[] }> {
  const items = await readAll(table, [SWITCH_KEY, blockKey(viewer), ...furtherKeys]);
  const [switchItem = {}, blockItem = {}, ...further] = items;
  return {
    gate: { killSwitch: switchIn(switchItem), block: blockIn(blockItem, now) },
    further: furtherKeys.map((_, index) => further[index] ?? {}),
  };
}
