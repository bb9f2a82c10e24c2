/**
 * Brings the function's reserved concurrency into line with the switch. No transaction covers both, and several operators may run
 * `pause --hard` and `resume` at the same time.
 */
import { type Cap, isHardPause, previousCapIn, SWITCH_KEY } from '../../lambda/gate/kill-switch.ts';
import { type Item, read } from '../../limiter/index.ts';
import { type Concurrency, capOf, setCap } from './concurrency.ts';
import type { Deployment } from './deployment.ts';

/** More than any number of concurrent operators causes. */
const MOST_LOOKS = 10;

export interface Settled {
  readonly item: Item;
  readonly concurrency: Concurrency | undefined;
  /** The reserved concurrency that was restored, if any. */
  readonly restored: Cap | undefined;
}

/**
 * Sets the concurrency to what the switch intends, and reads both again after each change. Every command that changes either of
 * them ends with this. Whichever command writes last therefore sees the final state, and leaves no mismatch behind unless it is
 * interrupted. A concurrency whose value is not recorded is never set to 0, because nothing could restore it.
 * @throws what the SDK throws, StoreUnavailableError or StoreMisconfiguredError
 */
export async function settle({ table, place }: Deployment): Promise<Settled> {
  let restored: Cap | undefined;
  for (let look = 1; place.kind === 'aws'; look += 1) {
    const cap = await capOf(place);
    const item = await read(table, SWITCH_KEY);
    const wanted = correctionOf(item, cap);
    if (wanted === undefined || look === MOST_LOOKS) {
      return { item, concurrency: { cap }, restored };
    }
    await setCap(place, wanted);
    restored = wanted === 0 ? undefined : wanted;
  }
  return { item: await read(table, SWITCH_KEY), concurrency: undefined, restored };
}

/** @returns undefined if the concurrency matches the switch, or if a correction needs a person */
function correctionOf(item: Item, cap: Cap): Cap | undefined {
  const recorded = previousCapIn(item);
  if (isHardPause(item)) {
    return cap !== 0 && cap === recorded ? 0 : undefined;
  }
  return cap === 0 ? recorded : undefined;
}
