/**
 * The function's reserved concurrency, which a hard pause takes to 0: what Lambda has, which alone counts, and what the pause
 * noted of it. The two are written one after the other, so a command that broke off, a deploy or a hand in the console can leave
 * them in disagreement; then there is a way out to be told.
 */
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import { type Cap, previousCapIn, switchIn } from '../../lambda/gate/kill-switch.ts';
import type { Item } from '../../limiter/index.ts';
import { inWords } from '../operator-error.ts';
import type { Deployment, OnAws } from './deployment.ts';

/** What Lambda says, or a sentence that says why it does not. */
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

/** For who may not ask, or is not answered: the switch is told all the same. Undefined on a laptop, which has none. */
export async function readConcurrency({ place }: Deployment): Promise<Concurrency | undefined> {
  if (place.kind === 'local') {
    return undefined;
  }
  try {
    return { cap: await capOf(place) };
  } catch (error) {
    return { unknown: inWords(error, "reading the function's reserved concurrency").message };
  }
}

/** Whether refusals cost nothing: by Lambda, and by the note only where Lambda does not say. */
export function isHard(item: Item, concurrency: Concurrency | undefined): boolean {
  if (concurrency === undefined || 'unknown' in concurrency) {
    return previousCapIn(item) !== undefined;
  }
  return switchIn(item).paused && concurrency.cap === 0;
}

/** What does not fit together, and the commands that mend it. */
export interface Disagreement {
  readonly says: string;
  readonly mend: string;
  /** To be pasted into a shell as they are. */
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
  const noted = previousCapIn(item);
  const isZero = concurrency.cap === 0;
  if (isZero && !paused) {
    return {
      says: 'The switch is on, but the function\'s reserved concurrency is 0: no key leaves, and visitors hear "busy".',
      ...waysToPutBack(place),
    };
  }
  if (isZero && noted === undefined) {
    return {
      says: "The function's reserved concurrency is 0, and nobody noted what it was: resume cannot put it back.",
      ...waysToPutBack(place),
    };
  }
  if (!isZero && noted !== undefined) {
    return {
      says: `A hard pause was begun, but the function's reserved concurrency is ${inWordsOf(concurrency.cap)}, not 0: no key leaves, and each refusal costs.`,
      mend: 'Finish it, or go on:',
      commands: [`issuer pause --hard${sameIssuer}`, `issuer resume${sameIssuer}`],
    };
  }
  return undefined;
}

export function inWordsOf(cap: Cap): string {
  return cap === 'none' ? 'not set' : String(cap);
}

/** What it was, nobody knows here: the template does. */
export function waysToPutBack({ functionName, sameAccount }: OnAws): Omit<Disagreement, 'says'> {
  const target = `--function-name ${functionName}${sameAccount}`;
  return {
    mend: 'Put it back: the first with the reservedConcurrency of your cdk.json, or the second where that is "off":',
    commands: [
      `aws lambda put-function-concurrency ${target} --reserved-concurrent-executions 5`,
      `aws lambda delete-function-concurrency ${target}`,
    ],
  };
}

/** For an error, whose message is one text. */
export function asText({ says, mend, commands }: Disagreement): string {
  return [`${says} ${mend}`, ...commands.map((command) => `  ${command}`)].join('\n');
}
