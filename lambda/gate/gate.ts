/**
 * What has to be known before anything is reserved, in one consistent read: whether the kill switch is on, whether this
 * visitor is blocked, and, for a request with an Idempotency-Key, whether it has been answered already.
 */
import { readAll, type Table } from '../../limiter/index.ts';
import { type Replay, type ReplayKey, replayIn } from '../session/replay.ts';
import type { ViewerId } from '../visitor/viewer.ts';
import { type Block, blockIn, blockKey } from './block.ts';
import { SWITCH_KEY, type Switch, switchIn } from './kill-switch.ts';

export interface Gate {
  readonly killSwitch: Switch;
  readonly block: Block | undefined;
  readonly replay: Replay;
}

/**
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError: then no key may leave
 */
export async function readGate(
  table: Table,
  viewer: ViewerId,
  replayKey: ReplayKey | undefined,
  now: number,
): Promise<Gate> {
  const keys = [SWITCH_KEY, blockKey(viewer), ...(replayKey === undefined ? [] : [replayKey.pk])];
  const [switchItem = {}, blockItem = {}, replayItem = {}] = await readAll(table, keys);
  return {
    killSwitch: switchIn(switchItem),
    block: blockIn(blockItem, now),
    replay: replayKey === undefined ? { kind: 'absent' } : replayIn(replayItem, replayKey, now),
  };
}
