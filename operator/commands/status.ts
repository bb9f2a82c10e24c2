/** `status`: is it on, what is left of the budget, and what happened in the last day. Nothing is changed or reserved. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SWITCH_KEY, type Switch, switchIn } from '../../lambda/gate/kill-switch.ts';
import { globalScope } from '../../lambda/visitor/scopes.ts';
import { type LimitState, read, readLimits } from '../../limiter/index.ts';
import { type Activity, activityIn, type LogRows } from '../activity/activity.ts';
import { readInsights, type Wait } from '../activity/insights.ts';
import { readLocalLog } from '../activity/local-log.ts';
import { inWords } from '../operator-error.ts';
import { type Concurrency, type Disagreement, disagreementIn, isHard, readConcurrency } from '../stack/concurrency.ts';
import type { Deployment } from '../stack/deployment.ts';

export interface StatusReport {
  readonly name: string;
  readonly url: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly switch: Switch & { readonly hard: boolean };
  /** The function's, as Lambda has it; undefined on a laptop. */
  readonly concurrency: Concurrency | undefined;
  /** Between switch and concurrency. */
  readonly disagreement: Disagreement | undefined;
  /** The limits for everybody together, the longest window first. */
  readonly budget: readonly LimitState[];
  /** Or a sentence that says why it is not known: the log is no reason to hide the switch. */
  readonly activity: Activity | string;
}

/** @throws OperatorError if switch or budget cannot be read */
export async function readStatus(deployment: Deployment, now: number, wait: Wait = sleep): Promise<StatusReport> {
  const { name, url, table } = deployment;
  const configuration = await deployment.configuration();
  try {
    const [item, concurrency, budget, activity] = await Promise.all([
      read(table, SWITCH_KEY),
      readConcurrency(deployment),
      readLimits(table, globalScope(configuration), '', now),
      readActivity(deployment, now, wait),
    ]);
    const killSwitch = { ...switchIn(item), hard: isHard(item, concurrency) };
    const disagreement = disagreementIn(item, concurrency, deployment);
    return { name, url, at: now, switch: killSwitch, concurrency, disagreement, budget, activity };
  } catch (error) {
    throw inWords(error, 'reading switch and budget');
  }
}

async function readActivity(deployment: Deployment, now: number, wait: Wait): Promise<Activity | string> {
  try {
    return activityIn(await logRows(deployment, now, wait), now);
  } catch (error) {
    return inWords(error, 'reading the log').message;
  }
}

async function logRows({ place }: Deployment, now: number, wait: Wait): Promise<LogRows> {
  return place.kind === 'local'
    ? await readLocalLog(place.log, now)
    : await readInsights(place.logs, place.logGroup, now, wait);
}
