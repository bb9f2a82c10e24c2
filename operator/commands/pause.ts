/**
 * `pause` takes effect with the next request. If the issuer is already paused, that pause keeps its author and its time. A hard
 * pause also sets the function's reserved concurrency to 0, so that refusals cost nothing at Lambda and DynamoDB. It is three
 * steps, and a command that is interrupted between them leaves a state that `status` names:
 *
 * 1. Pause. Lambda is not asked before that, because it may not answer.
 * 2. One write to the switch's item: the pause is hard, and the concurrency to restore is this.
 * 3. Set the concurrency to what the item intends ({@link settle}). Other operators may have changed the intention since.
 */
import { amend, pause as pauseSwitch, SWITCH_KEY, switchIn } from '../../lambda/gate/kill-switch.ts';
import { read } from '../../limiter/index.ts';
import type { Message } from '../command-line/argument-parsers.ts';
import { OperatorError, toOperatorError } from '../operator-error.ts';
import { capOf, isHard, readConcurrency } from '../stack/concurrency.ts';
import type { Deployment, OnAws } from '../stack/deployment.ts';
import { asText, type Disagreement, disagreementIn } from '../stack/disagreement.ts';
import { type Settled, settle } from '../stack/settle.ts';

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
  const { place } = deployment;
  if (options.hard && place.kind === 'local') {
    throw new OperatorError(
      `--hard works on AWS only: a local stack has no reserved concurrency. Type: issuer pause${deployment.sameIssuer}`,
      { exitCode: 2 },
    );
  }
  try {
    const changed = await pauseSoftly(deployment, options);
    const settled = options.hard && place.kind === 'aws' ? await harden(deployment, place) : await look(deployment);
    return { ...reportOf(settled, deployment, options), changed };
  } catch (error) {
    throw toOperatorError(error, `pausing ${deployment.name}`);
  }
}

/** A pause and a resume of other operators can alternate with the two writes of a command this often. */
const MOST_ATTEMPTS = 3;

/** No part of the pause is left, so the command must not report one. */
const RESUMED =
  'Another operator resumed the issuer while this command ran: it is NOT PAUSED. To pause it anyway, run the same command again.';

/** @returns whether this command paused the issuer. If it was paused already, only the message is replaced. */
async function pauseSoftly({ table }: Deployment, { message, by, now }: PauseOptions): Promise<boolean> {
  const hasMessage = message.ja !== undefined || message.en !== undefined;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const { ours } = await pauseSwitch(table, { since: Math.floor(now / 1_000), by, message });
    if (ours || !hasMessage || (await amend(table, { message }))) {
      return ours;
    }
  }
  throw new OperatorError(RESUMED);
}

async function harden(deployment: Deployment, place: OnAws): Promise<Settled> {
  try {
    const cap = await capOf(place);
    await amend(deployment.table, { hard: { previousCap: cap === 0 ? undefined : cap } });
    return await settle(deployment);
  } catch (error) {
    throw await failureOf(error, deployment);
  }
}

/** The pause took effect before the failure, but another operator may have resumed since. */
async function failureOf(cause: unknown, { table }: Deployment): Promise<OperatorError> {
  const { message } = toOperatorError(cause, "setting the function's reserved concurrency to 0");
  const item = await read(table, SWITCH_KEY).catch(() => undefined);
  return item !== undefined && !switchIn(item).paused
    ? new OperatorError(`${RESUMED} ${message}`, { cause })
    : incompleteHardPause(message, cause);
}

function incompleteHardPause(why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The issuer is paused: no keys are issued. But the hard pause is incomplete. ${why} Run the same command again; it is safe to repeat.`,
    { cause },
  );
}

/** Reads the switch last, because `resume` writes it last. */
async function look(deployment: Deployment): Promise<Settled> {
  const concurrency = await readConcurrency(deployment);
  return { item: await read(deployment.table, SWITCH_KEY), concurrency, restored: undefined };
}

function reportOf(
  { item, concurrency }: Settled,
  deployment: Deployment,
  options: PauseOptions,
): Omit<PauseReport, 'changed'> {
  const state = switchIn(item);
  const disagreement = disagreementIn(item, concurrency, deployment);
  if (!state.paused) {
    throw new OperatorError([RESUMED, ...(disagreement === undefined ? [] : [asText(disagreement)])].join('\n'));
  }
  const hard = isHard(item, concurrency);
  if (options.hard && !hard) {
    throw incompleteHardPause(
      disagreement?.says ?? 'Other operators resumed and paused the issuer while this command ran.',
    );
  }
  const { since, by, message } = state;
  return { paused: true, since, by, message, hard, disagreement };
}
