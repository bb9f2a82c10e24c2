/** The function that an alarm invokes to pause the issuer. It may write one item, the kill switch, and its own log. */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { GuardVariable } from '../../contract/guard.ts';
import { SWITCH_KEY } from '../../contract/table.ts';
import { GUARD_FOLDER } from '../configuration/package-folders.ts';
import type { EphemeralKeyIssuerProps } from '../configuration/props.ts';
import { grantWriteLog } from './permissions.ts';

interface GuardSettings {
  readonly table: Table;
  /** As text. A CloudFormation reference would be circular, because the alarms already refer to the function. */
  readonly pausingAlarms: readonly string[];
  readonly logRetentionDays: EphemeralKeyIssuerProps['logRetentionDays'];
}

export function createGuardFunction(scope: Construct, settings: GuardSettings): LambdaFunction {
  const { table, pausingAlarms, logRetentionDays } = settings;
  const logGroup = new LogGroup(scope, 'GuardLog', {
    retention: logRetentionDays ?? RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, 'GuardRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  role.addToPolicy(
    new PolicyStatement({
      actions: ['dynamodb:UpdateItem'],
      resources: [table.tableArn],
      conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [SWITCH_KEY] } },
    }),
  );
  grantWriteLog(role, logGroup);
  const environment: Record<GuardVariable, string> = {
    TABLE_NAME: table.tableName,
    PAUSING_ALARMS: pausingAlarms.join(','),
  };
  return new LambdaFunction(scope, 'Guard', {
    description: 'Pauses the issuer when keys are issued too fast. Never resumes it',
    code: Code.fromAsset(GUARD_FOLDER),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: 128,
    // One write, with the SDK's own retries. Lambda retries a failed invocation.
    timeout: Duration.seconds(30),
    environment,
    role,
    logGroup,
    loggingFormat: LoggingFormat.TEXT,
  });
}
