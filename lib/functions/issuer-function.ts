/** The function that hands out keys, its log, and its URL, which obeys CloudFront's signature only. */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import {
  Architecture,
  type Code,
  FunctionUrlAuthType,
  type IFunctionUrl,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { FUNCTION_TIMEOUT_MS } from '../../contract/times.ts';
import { isCount } from '../configuration/count.ts';
import type { Environment } from '../configuration/environment.ts';
import type { EphemeralKeyIssuerProps } from '../configuration/props.ts';
import { createFunctionRole } from './permissions.ts';

const DEFAULT_RESERVED_CONCURRENCY = 5;
/** Ten times what an account has by default. The counter for everybody takes no more writes a second than one item does. */
const MOST_RESERVED_CONCURRENCY = 10_000;

/**
 * It waits for DynamoDB and OpenAI most of the time, and INIT has two vCPUs whatever stands here. 256 MB leave Node and
 * the two clients room; the 400,000 GB-seconds that are free each month last for 1.6 million seconds of it.
 */
const MEMORY_MB = 256;

interface FunctionSettings {
  readonly code: Code;
  readonly environment: Environment;
  readonly table: Table;
  readonly reservedConcurrency: EphemeralKeyIssuerProps['reservedConcurrency'];
  readonly logRetentionDays: EphemeralKeyIssuerProps['logRetentionDays'];
}

export interface IssuerFunction {
  readonly function: LambdaFunction;
  readonly functionUrl: IFunctionUrl;
  readonly logGroup: LogGroup;
}

export function createFunction(scope: Construct, settings: FunctionSettings): IssuerFunction {
  const { code, environment, table, reservedConcurrency = DEFAULT_RESERVED_CONCURRENCY } = settings;
  const logGroup = new LogGroup(scope, 'FunctionLog', {
    retention: settings.logRetentionDays ?? RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const lambda = new LambdaFunction(scope, 'Function', {
    description: 'Hands out short-lived OpenAI Realtime keys, at most so many per visitor and in all',
    code,
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: MEMORY_MB,
    timeout: Duration.millis(FUNCTION_TIMEOUT_MS),
    environment: { ...environment },
    role: createFunctionRole(scope, { table, logGroup, keyParameterName: environment.OPENAI_KEY_PARAMETER }),
    logGroup,
    // Text passes a line on as the function wrote it. JSON would wrap what goes through console, and CloudWatch finds
    // embedded metrics only at the top of a line.
    loggingFormat: LoggingFormat.TEXT,
    ...(reservedConcurrency === 'off' ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
  });
  const functionUrl = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM });
  return { function: lambda, functionUrl, logGroup };
}

/** 0 would be accepted by Lambda, and refuse every call. To pause is the kill switch's work, with a sentence to say. */
export function functionComplaints({ reservedConcurrency, logRetentionDays }: EphemeralKeyIssuerProps): string[] {
  const complaints: string[] = [];
  if (
    reservedConcurrency !== undefined &&
    reservedConcurrency !== 'off' &&
    !isCount(reservedConcurrency, MOST_RESERVED_CONCURRENCY)
  ) {
    complaints.push(
      `reservedConcurrency: ${reservedConcurrency} is wrong: it must be a whole number from 1 to ${MOST_RESERVED_CONCURRENCY}, or "off". ` +
        `A right value: ${DEFAULT_RESERVED_CONCURRENCY}`,
    );
  }
  if (logRetentionDays !== undefined && !isRetention(logRetentionDays)) {
    complaints.push(
      `logRetentionDays: ${logRetentionDays} is wrong: CloudWatch knows ${RETENTIONS.join(', ')}. ` +
        `A right value: ${RetentionDays.ONE_MONTH}`,
    );
  }
  return complaints;
}

/** The last one, 9999, is CDK's word for "for ever", which no log of a demo is worth. */
const RETENTIONS = Object.values(RetentionDays).filter((days) => typeof days === 'number' && days < 9999);

function isRetention(days: unknown): boolean {
  return RETENTIONS.some((known) => known === days);
}
