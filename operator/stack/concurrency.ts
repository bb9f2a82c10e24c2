/**
 * The function's reserved concurrency, which a hard pause sets to 0. Lambda's value is the one in effect; the switch's item
 * records the value before the pause. They are written one after the other, so an interrupted command, a deployment or a change
 * in the console can leave a mismatch. This file detects it and gives the commands that fix it.
 */
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import { type Cap, previousCapIn, switchIn } from '../../lambda/gate/kill-switch.ts';
import type { Item } from '../../limiter/index.ts';
import { toOperatorError } from '../operator-error.ts';
import type { Deployment, OnAws } from './deployment.ts';

/** Lambda's value, or the error message if it could not be read. */
export type Concurrency = { readonly cap: Cap } | { readonly unknown: string };

/** @throws what the SDK throws */
export async function capOf({ lambda, functionName: FunctionName }: OnAws): Promise<Cap> {
  const { ReservedConcurrentExecutions: cap } = await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }));
  return cap ?? 'none';
}

/** @throws what the SDK throws */
export async function setCap({ lambda, functionName: FunctionName }: OnAws, cap: Cap): Promise<void> {
  await (cap === 'none'
    ? lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
    : lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: cap })));
}

/** Returns an error message rather than throw one, so that the switch is shown in any case. Undefined for a local stack. */
export async function readConcurrency({ place }: Deployment): Promise<Concurrency | undefined> {
  if (place.kind === 'local') {
    return undefined;
  }
  try {
    return { cap: await capOf(place) };
  } catch (error) {
    return { unknown: toOperatorError(error, "reading the function's reserved concurrency").message };
  }
}

/** Whether refusals cost nothing: by Lambda's value, or by the recorded one if Lambda's is unknown. */
export function isHard(item: Item, concurrency: Concurrency | undefined): boolean {
  if (concurrency === undefined || 'unknown' in concurrency) {
    return previousCapIn(item) !== undefined;
  }
  return switchIn(item).paused && concurrency.cap === 0;
}

/** A mismatch between switch and concurrency, and the commands that fix it. The names are part of the JSON report. */
export interface Disagreement {
  /** What does not match. */
  readonly says: string;
  /** How to fix it. */
  readonly mend: string;
  /** Complete, to paste into a shell. */
  readonly commands: readonly string[];
}

export function disagreementIn(
  item: Item,
  concurrency: Concurrency | undefined,
  deployment: Deployment,
): Disagreement | undefined {
  const { place, sameIssuer } = deployment;
  if (place.kind === 'local' || concurrency === undefined || 'unknown' in concurrency) {
    return undefined;
  }
  const { paused } = switchIn(item);
  const recorded = previousCapIn(item);
  const isZero = concurrency.cap === 0;
  if (isZero && !paused) {
    return {
      says: 'The issuer is not paused, but the function\'s reserved concurrency is 0: no keys are issued, and visitors see "busy".',
      ...waysToRestore(place),
    };
  }
  if (isZero && recorded === undefined) {
    return {
      says: "The function's reserved concurrency is 0, and its previous value was not recorded: resume cannot restore it.",
      ...waysToRestore(place),
    };
  }
  if (!isZero && recorded !== undefined) {
    return {
      says: `A hard pause was started, but the function's reserved concurrency is ${capText(concurrency.cap)}, not 0: no keys are issued, but refusals are not free.`,
      mend: 'Complete the hard pause, or resume:',
      commands: [`issuer pause --hard${sameIssuer}`, `issuer resume${sameIssuer}`],
    };
  }
  return undefined;
}

export function capText(cap: Cap): string {
  return cap === 'none' ? 'not set' : String(cap);
}

/** The previous value is unknown here; the owner's cdk.json has it. */
export function waysToRestore({ functionName, sameAccount }: OnAws): Omit<Disagreement, 'says'> {
  const target = `--function-name ${functionName}${sameAccount}`;
  return {
    mend: 'To restore it, use the first command with the reservedConcurrency of your cdk.json in place of 5, or the second command if that is "off":',
    commands: [
      `aws lambda put-function-concurrency ${target} --reserved-concurrent-executions 5`,
      `aws lambda delete-function-concurrency ${target}`,
    ],
  };
}

/** As the message of an error. */
export function asText({ says, mend, commands }: Disagreement): string {
  return [`${says} ${mend}`, ...commands.map((command) => `  ${command}`)].join('\n');
}
