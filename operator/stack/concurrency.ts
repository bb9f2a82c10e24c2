/**
 * The function's reserved concurrency, which a hard pause sets to 0. Lambda's value is the one in effect. The switch's item holds
 * the intention (not paused, paused, or paused hard) and records the value before the latest hard pause.
 */
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import { type Cap, isHardPause, switchIn } from '../../lambda/gate/kill-switch.ts';
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

/** Whether refusals cost nothing: by Lambda's value, or by the intention if Lambda's value is unknown. */
export function isHard(item: Item, concurrency: Concurrency | undefined): boolean {
  return concurrency === undefined || 'unknown' in concurrency
    ? isHardPause(item)
    : switchIn(item).paused && concurrency.cap === 0;
}
