/**
 * `resume` restores the concurrency before it ends the pause, so that a command that is interrupted leaves the issuer paused. It
 * ends only the pause that it has read: a pause that was made or hardened since is the later command, and remains. At the end, it
 * sets the concurrency to what the switch intends, as `pause --hard` does: another command may have changed either of them.
 */
import {
  type Cap,
  previousCapIn,
  resume as resumeSwitch,
  SWITCH_KEY,
  switchIn,
} from '../../lambda/gate/kill-switch.ts';
import { type Item, read } from '../../limiter/index.ts';
import { OperatorError, toOperatorError } from '../operator-error.ts';
import { capOf, setCap } from '../stack/concurrency.ts';
import type { Deployment, OnAws } from '../stack/deployment.ts';
import { asText, disagreementIn, waysToRestore } from '../stack/disagreement.ts';
import { type Settled, settle } from '../stack/settle.ts';

export interface ResumeReport {
  readonly paused: false;
  /** Whether it was paused. */
  readonly changed: boolean;
  readonly since: number | undefined;
  readonly by: string | undefined;
  /** The reserved concurrency that was restored. */
  readonly restoredCap: Cap | undefined;
}

/** @throws OperatorError, whose message says which state the issuer is in */
export async function resume(deployment: Deployment): Promise<ResumeReport> {
  const { place, table, tableClock } = deployment;
  try {
    // In this order: whoever set the concurrency to 0 has recorded the previous value before, so `seen` has the record.
    const cap = place.kind === 'aws' ? await capOf(place) : undefined;
    const seen = await read(table, SWITCH_KEY);
    const { paused: changed, since, by } = { since: undefined, by: undefined, ...switchIn(seen) };
    let restoredCap: Cap | undefined;
    if (changed) {
      restoredCap = place.kind === 'aws' && cap === 0 ? await restore(place, seen) : undefined;
      await resumeSwitch(table, seen, tableClock());
    }
    const settled = await settle(deployment);
    requireResumed(settled, deployment);
    return { paused: false, changed, since, by, restoredCap: settled.restored ?? restoredCap };
  } catch (error) {
    throw toOperatorError(error, `resuming ${deployment.name}`);
  }
}

async function restore(place: OnAws, seen: Item): Promise<Cap> {
  const recorded = previousCapIn(seen);
  if (recorded === undefined) {
    throw new OperatorError(asText({ says: NOT_RECORDED, ...waysToRestore(place) }));
  }
  await setCap(place, recorded);
  return recorded;
}

const NOT_RECORDED =
  "The function's reserved concurrency is 0, and its previous value was not recorded. Resume again after you have restored it.";

/** @throws OperatorError if the issuer is still paused, or its concurrency is still 0 */
function requireResumed({ item, concurrency }: Settled, deployment: Deployment): void {
  const state = switchIn(item);
  const disagreement = disagreementIn(item, concurrency, deployment);
  const problem = disagreement === undefined ? [] : [asText(disagreement)];
  if (state.paused) {
    const stays = `The issuer stays PAUSED: ${state.by ?? 'another operator'} paused it, or made the pause hard, while this command ran. To resume it anyway, run the same command again.`;
    throw new OperatorError([stays, ...problem].join('\n'));
  }
  if (disagreement !== undefined) {
    throw new OperatorError(problem.join('\n'));
  }
}
