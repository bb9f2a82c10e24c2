/**
 * `resume` puts back what a hard pause took before it lets anybody in, so that one that breaks off leaves the issuer paused. It
 * ends the pause that it has read; one that was made or hardened since is the later command, and stands. See pause.ts for why it
 * looks again at the end.
 */
import {
  type Cap,
  previousCapIn,
  resume as resumeSwitch,
  SWITCH_KEY,
  switchIn,
} from '../../lambda/gate/kill-switch.ts';
import { type Item, read, type Table } from '../../limiter/index.ts';
import { inWords, OperatorError } from '../operator-error.ts';
import { asText, capOf, disagreementIn, readConcurrency, setCap, waysToPutBack } from '../stack/concurrency.ts';
import type { Deployment } from '../stack/deployment.ts';

export interface ResumeReport {
  readonly paused: false;
  /** Whether it was paused. */
  readonly changed: boolean;
  readonly since: number | undefined;
  readonly by: string | undefined;
  /** What reserved concurrency was put back. */
  readonly restoredCap: Cap | undefined;
}

/** @throws OperatorError; its message says how it stands then */
export async function resume(deployment: Deployment): Promise<ResumeReport> {
  const { table, tableClock } = deployment;
  try {
    const seen = await read(table, SWITCH_KEY);
    const state = switchIn(seen);
    const restoredCap = await putConcurrencyBack(deployment, seen);
    if (!state.paused) {
      return { paused: false, changed: false, since: undefined, by: undefined, restoredCap };
    }
    if ((await resumeSwitch(table, seen, tableClock())).paused) {
      throw await pausedMeanwhile(deployment);
    }
    // A hard pause that had noted the concurrency may have taken it away only now.
    const restoredLate = await putConcurrencyBack(deployment, seen);
    return { paused: false, changed: true, since: state.since, by: state.by, restoredCap: restoredCap ?? restoredLate };
  } catch (error) {
    throw inWords(error, `resuming ${deployment.name}`);
  }
}

/**
 * Only where it is 0: a cap that a deploy set meanwhile is newer than the note. And only for as long as no pause stands but
 * the one that was seen.
 */
async function putConcurrencyBack(deployment: Deployment, seen: Item): Promise<Cap | undefined> {
  const { table, place } = deployment;
  if (place.kind === 'local' || (await capOf(place)) !== 0) {
    return undefined;
  }
  if (await isAnotherPause(table, seen)) {
    throw await pausedMeanwhile(deployment);
  }
  const noted = previousCapIn(seen);
  if (noted === undefined) {
    throw new OperatorError(asText({ says: NOBODY_NOTED, ...waysToPutBack(place) }));
  }
  await setCap(place, noted);
  if (await isAnotherPause(table, seen)) {
    throw await pausedMeanwhile(deployment);
  }
  return noted;
}

const NOBODY_NOTED =
  "The function's reserved concurrency is 0, and nobody noted what it was: resume again once it is back.";

async function isAnotherPause(table: Table, seen: Item): Promise<boolean> {
  const item = await read(table, SWITCH_KEY);
  return switchIn(item).paused && item['pause_id']?.S !== seen['pause_id']?.S;
}

/** The later command stands. What this one may have put back is not taken away again: somebody else may be at it still. */
async function pausedMeanwhile(deployment: Deployment): Promise<OperatorError> {
  const item = await read(deployment.table, SWITCH_KEY);
  const disagreement = disagreementIn(item, await readConcurrency(deployment), deployment);
  const { by } = { by: undefined, ...switchIn(item) };
  return new OperatorError(
    [
      `It stays PAUSED: ${by ?? 'somebody'} paused it, or made it hard, while this command ran. To resume all the same, repeat the same command.`,
      ...(disagreement === undefined ? [] : [asText(disagreement)]),
    ].join('\n'),
  );
}
