/** `status`: reads the kill switch, the remaining budget, and the last 24 hours. It changes and reserves nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SWITCH_KEY, type Switch, switchIn } from '../../lambda/gate/kill-switch.ts';
import { globalScope } from '../../lambda/visitor/scopes.ts';
import { type LimitState, read, readLimits } from '../../limiter/index.ts';
import { type Activity, activityIn, type LogRows } from '../activity/activity.ts';
import { readInsights, type Wait } from '../activity/insights.ts';
import { readLocalLog } from '../activity/local-log.ts';
import { toOperatorError } from '../operator-error.ts';
import { type Concurrency, type Disagreement, disagreementIn, isHard, readConcurrency } from '../stack/concurrency.ts';
import type { Deployment } from '../stack/deployment.ts';

export interface StatusReport {
  readonly name: string;
  readonly url: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly switch: Switch & { readonly hard: boolean };
  /** The function's reserved concurrency, read from Lambda. Undefined for a local stack. */
  readonly concurrency: Concurrency | undefined;
  /** Set if the switch and the concurrency do not match. */
  readonly disagreement: Disagreement | undefined;
  /** The limits for all visitors together, longest window first. */
  readonly budget: readonly LimitState[];
  /** Or, if the log cannot be read, the error message: the switch must be shown even then. */
  readonly activity: Activity | string;
}

/** @throws OperatorError if the switch or the budget cannot be read */
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
    throw toOperatorError(error, 'reading the switch and the budget');
  }
}

async function readActivity(deployment: Deployment, now: number, wait: Wait): Promise<Activity | string> {
  try {
    return activityIn(await logRows(deployment, now, wait), now);
  } catch (error) {
    return toOperatorError(error, 'reading the log').message;
  }
}

async function logRows({ place }: Deployment, now: number, wait: Wait): Promise<LogRows> {
  return place.kind === 'local'
    ? await readLocalLog(place.log, now)
    : await readInsights(place.logs, place.logGroup, now, wait);
}
