/**
 * What has to be known before anything is reserved, in one consistent read: whether the kill switch is on, and, for a request
 * with an Idempotency-Key, whether it has been answered already.
 */
import { read, readAll, type Table } from '../limiter/index.ts';
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
  const [switchItem = {}, replayItem = {}] = await readAll(table, [SWITCH_KEY, replayKey.pk]);
  return { killSwitch: switchIn(switchItem), replay: replayIn(replayItem, replayKey, now) };
}
