/** `status`: reads the kill switch, the remaining budget, and the last 24 hours. It changes and reserves nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SWITCH_KEY, type Switch, switchIn } from '../../lambda/gate/kill-switch.ts';
import { globalScope } from '../../lambda/visitor/scopes.ts';
import { type LimitState, type Policy, read, readLimits } from '../../limiter/index.ts';
import { type Activity, activityIn, type LogRows } from '../activity/activity.ts';
import { readInsights, type Wait } from '../activity/insights.ts';
import { readLocalLog } from '../activity/local-log.ts';
import { toOperatorError } from '../operator-error.ts';
import { type Concurrency, isHard, readConcurrency } from '../stack/concurrency.ts';
import type { Deployment } from '../stack/deployment.ts';
import { type Disagreement, disagreementIn } from '../stack/disagreement.ts';

/** A limit for all visitors together. */
export type Budget = LimitState & {
  readonly algorithm: Policy['algorithm'];
  /** The most keys that can be available at once: the burst of a bucket, otherwise the limit. */
  readonly capacity: number;
};

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
  /**
   * The limits for all visitors together, longest window first. Or an error message, if the function's configuration is invalid or
   * the counters cannot be read: the switch must be shown even then.
   */
  readonly budget: readonly Budget[] | string;
  /** Or, if the log cannot be read, the error message. */
  readonly activity: Activity | string;
}

/** @throws OperatorError if the switch cannot be read */
export async function readStatus(deployment: Deployment, now: number, wait: Wait = sleep): Promise<StatusReport> {
  const { name, url, table } = deployment;
  try {
    const [item, concurrency, budget, activity] = await Promise.all([
      read(table, SWITCH_KEY),
      readConcurrency(deployment),
      readBudget(deployment, now),
      readActivity(deployment, now, wait),
    ]);
    const killSwitch = { ...switchIn(item), hard: isHard(item, concurrency) };
    const disagreement = disagreementIn(item, concurrency, deployment);
    return { name, url, at: now, switch: killSwitch, concurrency, disagreement, budget, activity };
  } catch (error) {
    throw toOperatorError(error, 'reading the switch');
  }
}

async function readBudget({ table, configuration }: Deployment, now: number): Promise<readonly Budget[] | string> {
  try {
    const scope = globalScope(await configuration());
    const states = await readLimits(table, scope, '', now);
    return states.flatMap((state, index) => {
      const policy = scope.policies[index];
      return policy === undefined ? [] : [{ ...state, algorithm: policy.algorithm, capacity: capacityOf(policy) }];
    });
  } catch (error) {
    return toOperatorError(error, 'reading the budget').message;
  }
}

function capacityOf(policy: Policy): number {
  return policy.algorithm === 'bucket' ? policy.burst : policy.limit;
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
