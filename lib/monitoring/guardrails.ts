/**
 * The alarms of alarms.ts in CloudWatch. Each leads to its heading in the runbook. One of them, on the speed at which keys
 * leave, also pauses the issuer by itself: at night nobody else would.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, Token } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaAction, SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { isCount } from '../configuration/count.ts';
import { GUARD_FOLDER } from '../configuration/package-folders.ts';
import type { EphemeralKeyIssuerProps } from '../configuration/props.ts';
import { BUNDLE } from '../functions/function-code.ts';
import { createGuardFunction } from '../functions/guard-function.ts';
import { createAlarmTopic } from './alarm-topic.ts';
import {
  ALARMS,
  type AlarmKind,
  type AlarmThresholds,
  headingOf,
  isThreshold,
  PAUSING,
  type Threshold,
  thresholds,
} from './alarms.ts';
import { issuerMetric } from './metrics.ts';
import { readableName } from './names.ts';

/** Where an alarm's heading is: in the repository and in the package. */
const RUNBOOK = 'docs/runbook.md';

export interface GuardrailSettings {
  readonly table: Table;
  readonly function: LambdaFunction;
  readonly thresholds: AlarmThresholds;
  readonly failsOpen: boolean;
  readonly mail: string | undefined;
  readonly logRetentionDays: EphemeralKeyIssuerProps['logRetentionDays'];
}

export function createGuardrails(scope: Construct, settings: GuardrailSettings): Alarm[] {
  const place = new Construct(scope, 'Guardrails');
  const prefix = readableName(scope);
  const nameOf = (threshold: Threshold) => `${prefix}-${headingOf(threshold)}`;
  const guard = createGuardFunction(place, {
    table: settings.table,
    pausingAlarms: [nameOf(PAUSING)],
    logRetentionDays: settings.logRetentionDays,
  });
  const topic = settings.mail === undefined ? undefined : createAlarmTopic(place, settings.mail);

  // A metric that never comes would use up one of the ten alarms.
  const wanted = thresholds().filter((threshold) => threshold !== 'failedOpen' || settings.failsOpen);
  return wanted.map((threshold) => {
    const kind = ALARMS[threshold];
    const alarm = new Alarm(place, threshold, {
      alarmName: nameOf(threshold),
      alarmDescription: `${kind.says} What to do: ${RUNBOOK}#${headingOf(threshold)}`,
      metric: metricOf(kind, settings.function, guard),
      threshold: settings.thresholds[threshold] ?? kind.threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      // Nothing is counted where nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (threshold === PAUSING) {
      alarm.addAlarmAction(new LambdaAction(guard));
    }
    if (topic !== undefined) {
      alarm.addAlarmAction(new SnsAction(topic));
    }
    return alarm;
  });
}

function metricOf({ source, minutes }: AlarmKind, issuer: LambdaFunction, guard: LambdaFunction): IMetric {
  const period = Duration.minutes(minutes);
  if ('counts' in source) {
    return issuerMetric(issuer.functionName, source.counts, period);
  }
  const lambda = source.of === 'issuer' ? issuer : guard;
  return lambda.metric(source.lambda, { statistic: 'Sum', period });
}

export function guardrailComplaints({ guardrails = true, alarmMail }: EphemeralKeyIssuerProps): string[] {
  if (guardrails === false) {
    return alarmMail === undefined
      ? []
      : ['alarmMail: there are no alarms where guardrails is false. A right value: none, or guardrails true'];
  }
  return [
    ...(existsSync(join(GUARD_FOLDER, BUNDLE))
      ? []
      : [`guardrails: there is no ${join(GUARD_FOLDER, BUNDLE)}. Make it: npm run build`]),
    ...(guardrails === true ? [] : Object.entries(guardrails).flatMap(thresholdComplaints)),
    ...mailComplaints(alarmMail),
  ];
}

/** It may come from cdk.json, where nothing checked its shape. */
function thresholdComplaints([name, value]: readonly [string, unknown]): string[] {
  if (!isThreshold(name)) {
    const known = thresholds().join(', ');
    return [`guardrails: there is no alarm ${name}. There are: ${known}. A right value: {"keysPerHour":100}`];
  }
  if (value === undefined || isCount(value)) {
    return [];
  }
  const what = `${name} is ${JSON.stringify(value)}, and must be a whole number from 1`;
  return [`guardrails: ${what}. A right value: {"${name}":${ALARMS[name].threshold}}`];
}

/** No grammar of addresses: it catches a name, a URL and a list. */
const MAIL = /^[^\s@,;]+@[^\s@,;]+$/;

function mailComplaints(mail: string | undefined): string[] {
  const isRight = mail === undefined || Token.isUnresolved(mail) || MAIL.test(mail);
  return isRight ? [] : [`alarmMail: ${JSON.stringify(mail)} is wrong. A right value: you@example.com`];
}
