/**
 * Reads everything that a request needs to know before it reserves anything, in one consistent read: the kill switch, the
 * visitor's block, and any further items that the request depends on.
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
 * @param furtherKeys partition keys of further items to read
 * @param now epoch milliseconds
 * @returns the further items in the order of their keys, `{}` for an absent item
 * @throws StoreUnavailableError or StoreMisconfiguredError: no key may be issued
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
