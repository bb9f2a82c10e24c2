/**
 * `resume` restores the concurrency before it ends the pause, so that a command that is interrupted leaves the issuer paused. It
 * ends only the pause that it has read: a pause that was made or hardened since is the later command, and remains. See pause.ts
 * for why it reads everything again at the end.
 */
import {
  type Cap,
  previousCapIn,
  resume as resumeSwitch,
  SWITCH_KEY,
  switchIn,
} from '../../lambda/gate/kill-switch.ts';
import { type Item, read, type Table } from '../../limiter/index.ts';
import { OperatorError, toOperatorError } from '../operator-error.ts';
import { asText, capOf, disagreementIn, readConcurrency, setCap, waysToRestore } from '../stack/concurrency.ts';
import type { Deployment } from '../stack/deployment.ts';

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
  const { table, tableClock } = deployment;
  try {
    const seen = await read(table, SWITCH_KEY);
    const state = switchIn(seen);
    const restoredCap = await restoreConcurrency(deployment, seen);
    if (!state.paused) {
      return { paused: false, changed: false, since: undefined, by: undefined, restoredCap };
    }
    if ((await resumeSwitch(table, seen, tableClock())).paused) {
      throw await pausedMeanwhile(deployment);
    }
    // A hard pause that had already recorded the concurrency may have set it to 0 only now.
    const restoredLate = await restoreConcurrency(deployment, seen);
    return { paused: false, changed: true, since: state.since, by: state.by, restoredCap: restoredCap ?? restoredLate };
  } catch (error) {
    throw toOperatorError(error, `resuming ${deployment.name}`);
  }
}

/**
 * Restores the concurrency only if it is 0: a cap that a deployment set in the meantime is newer than the recorded one. And
 * only while no pause exists except the one that was read.
 */
async function restoreConcurrency(deployment: Deployment, seen: Item): Promise<Cap | undefined> {
  const { table, place } = deployment;
  if (place.kind === 'local' || (await capOf(place)) !== 0) {
    return undefined;
  }
  if (await isAnotherPause(table, seen)) {
    throw await pausedMeanwhile(deployment);
  }
  const recorded = previousCapIn(seen);
  if (recorded === undefined) {
    throw new OperatorError(asText({ says: NOT_RECORDED, ...waysToRestore(place) }));
  }
  await setCap(place, recorded);
  if (await isAnotherPause(table, seen)) {
    throw await pausedMeanwhile(deployment);
  }
  return recorded;
}

const NOT_RECORDED =
  "The function's reserved concurrency is 0, and its previous value was not recorded. Resume again after you have restored it.";

async function isAnotherPause(table: Table, seen: Item): Promise<boolean> {
  const item = await read(table, SWITCH_KEY);
  return switchIn(item).paused && item['pause_id']?.S !== seen['pause_id']?.S;
}

/** The later command wins. The concurrency that this command may have restored stays: the other command may still be running. */
async function pausedMeanwhile(deployment: Deployment): Promise<OperatorError> {
  const item = await read(deployment.table, SWITCH_KEY);
  const disagreement = disagreementIn(item, await readConcurrency(deployment), deployment);
  const { by } = { by: undefined, ...switchIn(item) };
  return new OperatorError(
    [
      `The issuer stays PAUSED: ${by ?? 'another operator'} paused it, or made the pause hard, while this command ran. To resume it anyway, run the same command again.`,
      ...(disagreement === undefined ? [] : [asText(disagreement)]),
    ].join('\n'),
  );
}
