/**
 * Creates the alarms of alarms.ts in CloudWatch. The description of each one links to its heading in the runbook. One alarm, on
 * the rate at which keys are issued, also pauses the issuer automatically: at night nobody else would.
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
  type AlarmDefinition,
  type AlarmId,
  type AlarmThresholds,
  alarmIds,
  isAlarmId,
  PAUSING_ALARM,
  runbookAnchor,
} from './alarms.ts';
import { issuerMetric } from './metrics.ts';
import { readableName } from './names.ts';

/** This path is valid in the repository and in the package. */
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
  const guardrails = new Construct(scope, 'Guardrails');
  const prefix = readableName(scope);
  const nameOf = (id: AlarmId) => `${prefix}-${runbookAnchor(id)}`;
  const guard = createGuardFunction(guardrails, {
    table: settings.table,
    pausingAlarms: [nameOf(PAUSING_ALARM)],
    logRetentionDays: settings.logRetentionDays,
  });
  const topic = settings.mail === undefined ? undefined : createAlarmTopic(guardrails, settings.mail);

  // An alarm on a metric that never has data would use up one of the ten free alarms.
  const wanted = alarmIds().filter((id) => id !== 'failedOpen' || settings.failsOpen);
  return wanted.map((id) => {
    const definition = ALARMS[id];
    const alarm = new Alarm(guardrails, id, {
      alarmName: nameOf(id),
      alarmDescription: `${definition.description} What to do: ${RUNBOOK}#${runbookAnchor(id)}`,
      metric: metricOf(definition, settings.function, guard),
      threshold: settings.thresholds[id] ?? definition.threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      // The metrics have no data while nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (id === PAUSING_ALARM) {
      alarm.addAlarmAction(new LambdaAction(guard));
    }
    if (topic !== undefined) {
      alarm.addAlarmAction(new SnsAction(topic));
    }
    return alarm;
  });
}

function metricOf({ source, minutes }: AlarmDefinition, issuer: LambdaFunction, guard: LambdaFunction): IMetric {
  const period = Duration.minutes(minutes);
  if ('counts' in source) {
    return issuerMetric(issuer.functionName, source.counts, period);
  }
  const lambda = source.of === 'issuer' ? issuer : guard;
  return lambda.metric(source.lambda, { statistic: 'Sum', period });
}

/** @returns one error message for each invalid setting of the alarms */
export function validateGuardrails({ guardrails = true, alarmMail }: EphemeralKeyIssuerProps): string[] {
  if (guardrails === false) {
    return alarmMail === undefined
      ? []
      : ['alarmMail: there are no alarms, because guardrails is false. Remove alarmMail, or set guardrails to true'];
  }
  return [
    ...(existsSync(join(GUARD_FOLDER, BUNDLE))
      ? []
      : [`guardrails: ${join(GUARD_FOLDER, BUNDLE)} does not exist. To build it: npm run build`]),
    ...(guardrails === true ? [] : Object.entries(guardrails).flatMap(validateThreshold)),
    ...validateMail(alarmMail),
  ];
}

/** The value may come from cdk.json, which no compiler checks. */
function validateThreshold([name, value]: readonly [string, unknown]): string[] {
  if (!isAlarmId(name)) {
    const known = alarmIds().join(', ');
    return [`guardrails: unknown alarm ${name}. Expected one of: ${known}. For example: {"keysPerHour":100}`];
  }
  if (value === undefined || isCount(value)) {
    return [];
  }
  const reason = `${name}=${JSON.stringify(value)} is invalid: it must be a whole number of at least 1`;
  return [`guardrails: ${reason}. For example: {"${name}":${ALARMS[name].threshold}}`];
}

/** Not a complete grammar of addresses: it rejects a name, a URL and a list. */
const MAIL = /^[^\s@,;]+@[^\s@,;]+$/;

function validateMail(mail: string | undefined): string[] {
  const isValid = mail === undefined || Token.isUnresolved(mail) || MAIL.test(mail);
  return isValid
    ? []
    : [`alarmMail: ${JSON.stringify(mail)} is invalid: it must be one email address. For example: you@example.com`];
}
