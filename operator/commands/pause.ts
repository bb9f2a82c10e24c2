/**
 * `pause` takes effect with the next request. If the issuer is already paused, that pause keeps its author and its time. A hard
 * pause also sets the function's reserved concurrency to 0, so that refusals cost nothing at Lambda and DynamoDB. The switch's
 * item records the previous value for `resume`.
 *
 * No transaction covers both the switch and the concurrency, and other operators may run commands at the same time. So `pause`
 * and `resume` each read both again after their last write: the command that writes last then sees the final state, and either
 * corrects it or reports how to.
 */
import {
  type Cap,
  notePreviousCap,
  pause as pauseSwitch,
  reword,
  SWITCH_KEY,
  switchIn,
} from '../../lambda/gate/kill-switch.ts';
import { read, type Table } from '../../limiter/index.ts';
import type { Message } from '../command-line/argument-parsers.ts';
import { OperatorError, toOperatorError } from '../operator-error.ts';
import { capOf, type Disagreement, disagreementIn, isHard, readConcurrency, setCap } from '../stack/concurrency.ts';
import type { Deployment, OnAws } from '../stack/deployment.ts';

export interface PauseReport {
  readonly paused: true;
  /** Whether this command paused the issuer: false if it was already paused. */
  readonly changed: boolean;
  /** Epoch seconds. */
  readonly since: number | undefined;
  readonly by: string | undefined;
  readonly message: Message;
  readonly hard: boolean;
  readonly disagreement: Disagreement | undefined;
}

export interface PauseOptions {
  readonly message: Message;
  readonly hard: boolean;
  readonly by: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** @throws OperatorError. The issuer may be paused even then; the message says so */
export async function pause(deployment: Deployment, options: PauseOptions): Promise<PauseReport> {
  const { place, table } = deployment;
  if (options.hard && place.kind === 'local') {
    throw new OperatorError(
      '--hard works on AWS only: a local stack has no reserved concurrency. Run the command without --hard.',
      { exitCode: 2 },
    );
  }
  const { message, by } = options;
  try {
    const { ours } = await pauseSwitch(table, { since: Math.floor(options.now / 1_000), by, message });
    const hasMessage = message.ja !== undefined || message.en !== undefined;
    if (!ours && hasMessage && !(await reword(table, message))) {
      throw new OperatorError(RESUMED);
    }
    const previous = options.hard && place.kind === 'aws' ? await setConcurrencyToZero(table, place) : undefined;
    return { ...(await finalState(deployment, previous)), changed: ours };
  } catch (error) {
    throw toOperatorError(error, `pausing ${deployment.name}`);
  }
}

/** No part of the pause is left, so the command must not report one. */
const RESUMED =
  'Another operator resumed the issuer while this command ran: it is NOT PAUSED, and keys are issued. To pause it anyway, run the same command again.';

/** The reserved concurrency before this command. If it was 0 already, the final state must be the same. */
interface PreviousConcurrency {
  readonly cap: Cap;
  readonly place: OnAws;
}

/** Records the cap before it sets 0: a cap that is not recorded cannot be restored. */
async function setConcurrencyToZero(table: Table, place: OnAws): Promise<PreviousConcurrency> {
  try {
    const cap = await capOf(place);
    if (cap !== 0) {
      if (!(await notePreviousCap(table, cap))) {
        throw new OperatorError(RESUMED);
      }
      await setCap(place, 0);
    }
    return { cap, place };
  } catch (error) {
    const { message } = toOperatorError(error, "setting the function's reserved concurrency to 0");
    throw message === RESUMED ? error : incompleteHardPause(message, error);
  }
}

function incompleteHardPause(why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The issuer is paused: no keys are issued. But the hard pause is incomplete. ${why} Run the same command again; it is safe to repeat.`,
    { cause },
  );
}

async function finalState(
  deployment: Deployment,
  previous: PreviousConcurrency | undefined,
): Promise<Omit<PauseReport, 'changed'>> {
  const { table } = deployment;
  // Read the switch last: it holds more, and `resume` writes it last.
  const concurrency = await readConcurrency(deployment);
  const item = await read(table, SWITCH_KEY);
  const state = switchIn(item);
  if (!state.paused) {
    throw await resumedMeanwhile(table, previous);
  }
  const hard = isHard(item, concurrency);
  if (previous !== undefined && !hard) {
    throw incompleteHardPause('Another operator restored the concurrency, and may be about to resume.');
  }
  const { since, by, message } = state;
  return { paused: true, since, by, message, hard, disagreement: disagreementIn(item, concurrency, deployment) };
}

/**
 * The other operator's `resume` may have run before this command set the concurrency to 0. An issuer that is not paused needs
 * its concurrency, so this restores it.
 */
async function resumedMeanwhile(table: Table, previous: PreviousConcurrency | undefined): Promise<OperatorError> {
  if (previous !== undefined && previous.cap !== 0 && (await capOf(previous.place)) === 0) {
    await setCap(previous.place, previous.cap);
    if (switchIn(await read(table, SWITCH_KEY)).paused) {
      return incompleteHardPause('The issuer was resumed and paused again while this command ran.');
    }
  }
  return new OperatorError(RESUMED);
}
