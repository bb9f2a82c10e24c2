/**
 * `pause` binds on the very next request; a pause that stands is kept as it is, with its author and its time. A hard one also
 * takes the function's reserved concurrency to 0, so that a refusal costs nothing at Lambda and DynamoDB; the switch's item keeps
 * what it was, for whoever resumes.
 *
 * Switch and concurrency cannot be written in one step, and somebody else may be at it. So this command and `resume` each look
 * again once they have written for the last time: of all who write, the last one then sees what stands, and mends it or says how.
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
import { inWords, OperatorError } from '../operator-error.ts';
import { capOf, type Disagreement, disagreementIn, isHard, readConcurrency, setCap } from '../stack/concurrency.ts';
import type { Deployment, OnAws } from '../stack/deployment.ts';

export interface PauseReport {
  readonly paused: true;
  /** Whether this call changed it: false where somebody had paused before. */
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

/** @throws OperatorError; the pause itself may stand then, and its message says so */
export async function pause(deployment: Deployment, options: PauseOptions): Promise<PauseReport> {
  const { place, table } = deployment;
  if (options.hard && place.kind === 'local') {
    throw new OperatorError(
      'A local stack has no reserved concurrency to take away, so --hard works on AWS only. Leave it out.',
      { exitCode: 2 },
    );
  }
  const { message, by } = options;
  try {
    const { ours } = await pauseSwitch(table, { since: Math.floor(options.now / 1_000), by, message });
    const hasWords = message.ja !== undefined || message.en !== undefined;
    if (!ours && hasWords && !(await reword(table, message))) {
      throw new OperatorError(RESUMED);
    }
    const taken = options.hard && place.kind === 'aws' ? await takeConcurrencyAway(table, place) : undefined;
    return { ...(await pauseThatStands(deployment, taken)), changed: ours };
  } catch (error) {
    throw inWords(error, `pausing ${deployment.name}`);
  }
}

/** Then nothing of a pause is left, and nobody may be told that it stands. */
const RESUMED =
  'Somebody resumed it meanwhile: it is ON, and keys leave. To pause it all the same, repeat the same command.';

/** What it was. Whether there was any left to take makes no difference to what has to stand in the end. */
interface Taken {
  readonly cap: Cap;
  readonly from: OnAws;
}

/** The note comes first: a cap that nobody noted could not be put back. */
async function takeConcurrencyAway(table: Table, from: OnAws): Promise<Taken> {
  try {
    const cap = await capOf(from);
    if (cap !== 0) {
      if (!(await notePreviousCap(table, cap))) {
        throw new OperatorError(RESUMED);
      }
      await setCap(from, 0);
    }
    return { cap, from };
  } catch (error) {
    const { message } = inWords(error, "taking the function's concurrency away");
    throw message === RESUMED ? error : halfDone(message, error);
  }
}

function halfDone(why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `No key leaves: it is paused. But the hard part failed. ${why} It is safe to repeat the same command.`,
    { cause },
  );
}

async function pauseThatStands(
  deployment: Deployment,
  taken: Taken | undefined,
): Promise<Omit<PauseReport, 'changed'>> {
  const { table } = deployment;
  // The switch last: it says more, and a resume writes it last.
  const concurrency = await readConcurrency(deployment);
  const item = await read(table, SWITCH_KEY);
  const state = switchIn(item);
  if (!state.paused) {
    throw await resumedMeanwhile(table, taken);
  }
  const hard = isHard(item, concurrency);
  if (taken !== undefined && !hard) {
    throw halfDone('Somebody has put the concurrency back, and may be about to resume.');
  }
  const { since, by, message } = state;
  return { paused: true, since, by, message, hard, disagreement: disagreementIn(item, concurrency, deployment) };
}

/** Whoever resumed may have seen a concurrency that was still there. With the switch on, it must be. */
async function resumedMeanwhile(table: Table, taken: Taken | undefined): Promise<OperatorError> {
  if (taken !== undefined && taken.cap !== 0 && (await capOf(taken.from)) === 0) {
    await setCap(taken.from, taken.cap);
    if (switchIn(await read(table, SWITCH_KEY)).paused) {
      return halfDone('Somebody resumed it and somebody paused it again meanwhile.');
    }
  }
  return new OperatorError(RESUMED);
}
