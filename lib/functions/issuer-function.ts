/** The function that issues keys, its log, and its URL, which accepts only requests that CloudFront signed. */

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
/** Ten times an account's default quota. The counter for all visitors accepts only as many writes a second as one item does. */
const MAX_RESERVED_CONCURRENCY = 10_000;

/**
 * The function mostly waits for DynamoDB and OpenAI, and INIT has two vCPUs whatever the memory size. 256 MB leave enough room
 * for Node and the two clients. The 400,000 free GB-seconds of a month last for 1.6 million seconds.
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
    description: 'Issues short-lived OpenAI Realtime keys, limited per visitor and in total',
    code,
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: MEMORY_MB,
    timeout: Duration.millis(FUNCTION_TIMEOUT_MS),
    environment: { ...environment },
    role: createFunctionRole(scope, { table, logGroup, keyParameterName: environment.OPENAI_KEY_PARAMETER }),
    logGroup,
    // TEXT keeps each line as the function wrote it. JSON would wrap the output of console, and CloudWatch finds embedded metrics
    // only at the top level of a line.
    loggingFormat: LoggingFormat.TEXT,
    ...(reservedConcurrency === 'off' ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
  });
  const functionUrl = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM });
  return { function: lambda, functionUrl, logGroup };
}

/**
 * Lambda would accept a concurrency of 0 and reject every request. Use the kill switch to pause; it also shows visitors a message.
 * @returns one error message for each invalid prop
 */
export function validateFunction({ reservedConcurrency, logRetentionDays }: EphemeralKeyIssuerProps): string[] {
  const errors: string[] = [];
  if (
    reservedConcurrency !== undefined &&
    reservedConcurrency !== 'off' &&
    !isCount(reservedConcurrency, MAX_RESERVED_CONCURRENCY)
  ) {
    errors.push(
      `reservedConcurrency: ${reservedConcurrency} is invalid: it must be a whole number from 1 to ${MAX_RESERVED_CONCURRENCY}, or "off". ` +
        `For example: ${DEFAULT_RESERVED_CONCURRENCY}`,
    );
  }
  if (logRetentionDays !== undefined && !isRetention(logRetentionDays)) {
    errors.push(
      `logRetentionDays: ${logRetentionDays} is invalid: CloudWatch Logs supports ${RETENTIONS.join(', ')}. ` +
        `For example: ${RetentionDays.ONE_MONTH}`,
    );
  }
  return errors;
}

/** Excludes 9999, which CDK uses for "for ever": no log of a demo is worth that. */
const RETENTIONS = Object.values(RetentionDays).filter((days) => typeof days === 'number' && days < 9999);

function isRetention(days: unknown): boolean {
  return RETENTIONS.some((known) => known === days);
}
