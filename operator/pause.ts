/**
 * `pause` and `resume`. A pause binds on the very next request; one that stands is kept as it is, with its author and its
 * time. A hard one also takes the function's reserved concurrency to 0, so that a refusal costs nothing at Lambda and
 * DynamoDB; the switch's item keeps what it was, and resume puts it back first.
 */
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import {
  type Cap,
  notePreviousCap,
  pause as pauseSwitch,
  previousCapIn,
  reword,
  SWITCH_KEY,
  switchIn,
  writeSwitch,
} from '../lambda/kill-switch.ts';
import { read } from '../limiter/index.ts';
import type { Message } from './arguments.ts';
import type { Deployment, OnAws } from './deployment.ts';
import { inWords, OperatorError } from './operator-error.ts';

export interface PauseReport {
  readonly paused: true;
  /** Whether this call changed it: false where somebody had paused before. */
  readonly changed: boolean;
  /** Epoch seconds. */
  readonly since: number | undefined;
  readonly by: string | undefined;
  readonly message: Message;
  readonly hard: boolean;
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
  const since = Math.floor(options.now / 1_000);
  try {
    const { ours, state } = await pauseSwitch(table, { since, by, message });
    const hasWords = message.ja !== undefined || message.en !== undefined;
    if (!ours && hasWords) {
      if (!(await reword(table, message))) {
        throw new OperatorError(RESUMED);
      }
    }
    if (options.hard && place.kind === 'aws') {
      await takeConcurrencyAway(deployment, place);
    }
    const before = state.paused ? state : { since, by, message };
    return {
      paused: true,
      changed: ours,
      since: before.since,
      by: before.by,
      message: { ja: message.ja ?? before.message.ja, en: message.en ?? before.message.en },
      hard: options.hard || (place.kind === 'aws' && previousCapIn(await read(table, SWITCH_KEY)) !== undefined),
    };
  } catch (error) {
    throw inWords(error, `pausing ${deployment.name}`);
  }
}

/** Then nothing of a pause is left, and nobody may be told that it stands. */
const RESUMED =
  'Somebody resumed it meanwhile: it is ON, and keys leave. To pause it all the same, repeat the same command.';

/** The note comes first: a cap that nobody noted could not be put back. */
async function takeConcurrencyAway({ table }: Deployment, place: OnAws): Promise<void> {
  try {
    const cap = await capOf(place);
    if (cap === 0) {
      return;
    }
    if (!(await notePreviousCap(table, cap ?? 'none'))) {
      throw new OperatorError(RESUMED);
    }
    const { functionName: FunctionName } = place;
    await place.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
    // Whoever resumed in between has seen a cap that was still there, and put nothing back.
    if (!switchIn(await read(table, SWITCH_KEY)).paused) {
      await putConcurrencyBack(place, cap ?? 'none');
      throw new OperatorError(RESUMED);
    }
  } catch (error) {
    const { message } = inWords(error, "taking the function's concurrency away");
    throw new OperatorError(
      message === RESUMED
        ? RESUMED
        : `No key leaves: it is paused. But the hard part failed. ${message} It is safe to repeat the same command.`,
      {
        cause: error,
      },
    );
  }
}

export interface ResumeReport {
  readonly paused: false;
  /** Whether it was paused. */
  readonly changed: boolean;
  readonly since: number | undefined;
  readonly by: string | undefined;
  /** What reserved concurrency was put back. */
  readonly restoredCap: Cap | undefined;
}

/** @throws OperatorError; it is as paused as before then */
export async function resume(deployment: Deployment): Promise<ResumeReport> {
  const { table, place } = deployment;
  try {
    const item = await read(table, SWITCH_KEY);
    const state = switchIn(item);
    const restoredCap = place.kind === 'aws' ? await putConcurrencyBack(place, previousCapIn(item)) : undefined;
    if (state.paused) {
      await writeSwitch(table, { paused: false });
    }
    const { since, by } = state.paused ? state : { since: undefined, by: undefined };
    return { paused: false, changed: state.paused, since, by, restoredCap };
  } catch (error) {
    throw inWords(error, `resuming ${deployment.name}`);
  }
}

/** Only where it is 0: a cap that a deploy set meanwhile is newer than the note. */
async function putConcurrencyBack(place: OnAws, noted: Cap | undefined): Promise<Cap | undefined> {
  const { lambda, functionName: FunctionName } = place;
  if ((await capOf(place)) !== 0) {
    return undefined;
  }
  if (noted === undefined) {
    throw new OperatorError(
      "The function's reserved concurrency is 0, and nobody noted what it was. Put it back, with the reservedConcurrency " +
        `of your cdk.json, and resume again: aws lambda put-function-concurrency --function-name ${FunctionName} ` +
        `--reserved-concurrent-executions 5; where that is "off": aws lambda delete-function-concurrency --function-name ${FunctionName}`,
    );
  }
  if (noted === 'none') {
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  } else {
    await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: noted }));
  }
  return noted;
}

/** Undefined: none is reserved, and the account's own holds. */
async function capOf({ lambda, functionName: FunctionName }: OnAws): Promise<number | undefined> {
  return (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }))).ReservedConcurrentExecutions;
}
