/**
 * The issuer that a command works on: a deployed one, found by the outputs of its stack, or one that `npm start` runs on this
 * machine. Commands treat both alike, except for what a local stack does not have.
 */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SSMClient } from '@aws-sdk/client-ssm';
import { type Configuration, ConfigurationError, readConfiguration } from '../../contract/configuration.ts';
import { OUTPUTS, type OutputName, STACK_NAME } from '../../contract/outputs.ts';
import { type Policy, parsePolicies, type Table } from '../../limiter/index.ts';
import { OperatorError, toOperatorError } from '../operator-error.ts';
import { AWS_TIMEOUTS } from './aws-timeouts.ts';
import { findLocalStack, readLocalEnvironment } from './local-stack.ts';
import { type TableClock, tableClockOf } from './table-clock.ts';

export interface Deployment {
  /** In messages: `EphemeralKeyIssuer in eu-central-1`, or `the local stack at http://127.0.0.1:8787`. */
  readonly name: string;
  readonly url: string | undefined;
  readonly table: Table;
  readonly tableClock: TableClock;
  readonly ssm: SSMClient;
  readonly keyParameter: string;
  /** Reads the function's configuration. @throws OperatorError */
  readonly configuration: () => Promise<Configuration<readonly Policy[]>>;
  readonly place: OnAws | Local;
  /** The options with which a suggested `issuer` command finds the same issuer, such as ` --stack Demo`. */
  readonly sameIssuer: string;
}

export interface OnAws {
  readonly kind: 'aws';
  readonly lambda: LambdaClient;
  readonly functionName: string;
  readonly logs: CloudWatchLogsClient;
  readonly logGroup: string;
  /** The options with which a suggested `aws` command finds the same function, such as ` --region eu-central-1`. */
  readonly sameAccount: string;
}

export interface Local {
  readonly kind: 'local';
  /** The file with the function's log lines. */
  readonly log: string;
}

/** The configuration of the SDK's clients; tests pass a scripted AWS. */
export type ClientConfig = NonNullable<ConstructorParameters<typeof CloudFormationClient>[0]>;

export interface Target {
  /** The port of a stack that `npm start` runs. Without it, the stack is on AWS. */
  readonly local?: string | undefined;
  /** @default the name that bin/app.ts deploys */
  readonly stack?: string | undefined;
  readonly profile?: string | undefined;
  readonly client: ClientConfig;
  readonly sameIssuer: string;
}

/** @throws OperatorError if the issuer does not exist, or AWS does not answer */
export async function findDeployment(target: Target): Promise<Deployment> {
  return target.local === undefined ? await onAws(target) : await onThisMachine(target.local, target.sameIssuer);
}

async function onThisMachine(port: string, sameIssuer: string): Promise<Deployment> {
  const stack = await findLocalStack(port);
  if (stack === undefined) {
    throw new OperatorError(`No local stack is running on port ${port}. To start one: PORT=${port} npm start`);
  }
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const local = { ...AWS_TIMEOUTS, region: 'us-east-1', credentials };
  const dynamodb = new DynamoDBClient({ ...local, endpoint: stack.dynamodb });
  return {
    name: `the local stack at ${stack.url}`,
    url: stack.url,
    table: { client: dynamodb, name: stack.table },
    tableClock: tableClockOf(dynamodb),
    ssm: new SSMClient({ ...local, endpoint: stack.ssm }),
    keyParameter: stack.parameter,
    configuration: async () =>
      configurationFrom(await readLocalEnvironment(stack), 'Stop npm start, fix the variables, and start it again.'),
    place: { kind: 'local', log: stack.log },
    sameIssuer,
  };
}

async function onAws({ stack = STACK_NAME, profile, client, sameIssuer }: Target): Promise<Deployment> {
  const cloudformation = new CloudFormationClient(client);
  const outputs = await outputsOf(cloudformation, stack);
  const region = await regionOf(cloudformation);
  const lambda = new LambdaClient(client);
  const dynamodb = new DynamoDBClient(client);
  const functionName = outputs.FunctionName;
  return {
    name: `${stack} in ${region}`,
    url: outputs.PageUrl ?? outputs.SessionUrl,
    table: { client: dynamodb, name: outputs.TableName },
    tableClock: tableClockOf(dynamodb),
    ssm: new SSMClient(client),
    keyParameter: outputs.KeyParameterName,
    async configuration() {
      const command = new GetFunctionConfigurationCommand({ FunctionName: functionName });
      const { Environment } = await lambda.send(command).catch((error: unknown) => {
        throw toOperatorError(error, `reading the configuration of ${functionName}`);
      });
      if (Environment?.Error !== undefined) {
        const { ErrorCode = 'an error', Message = 'no message' } = Environment.Error;
        throw new OperatorError(
          `Lambda could not decrypt the environment variables of ${functionName}: ${ErrorCode}: ${Message} ` +
            "These credentials need kms:Decrypt on the function's key.",
        );
      }
      return configurationFrom(Environment?.Variables ?? {}, 'Fix cdk.json, then run npm run deploy.');
    },
    place: {
      kind: 'aws',
      lambda,
      functionName,
      logs: new CloudWatchLogsClient(client),
      logGroup: outputs.LogGroupName,
      sameAccount: ` --region ${region}${profile === undefined ? '' : ` --profile ${profile}`}`,
    },
    sameIssuer,
  };
}

const NEEDED = ['FunctionName', 'LogGroupName', 'TableName', 'KeyParameterName'] as const satisfies OutputName[];

type Outputs = Readonly<Record<(typeof NEEDED)[number], string>> & Partial<Record<OutputName, string>>;

async function outputsOf(client: CloudFormationClient, stack: string): Promise<Outputs> {
  const found = await describeStack(client, stack);
  const outputs = Object.fromEntries((found.Outputs ?? []).map((each) => [each.OutputKey ?? '', each.OutputValue]));
  const missing = NEEDED.filter((name) => !outputs[name]);
  if (missing.length > 0) {
    throw new OperatorError(
      `The stack ${stack} (${found.StackStatus ?? 'status unknown'}) has no output ${missing.join(', ')}. The stack of an issuer ` +
        `has ${Object.keys(OUTPUTS).join(', ')}. Deploy it again with npm run deploy, or select another stack with --stack NAME.`,
    );
  }
  return outputs as Outputs;
}

function regionOf(client: CloudFormationClient): Promise<string> {
  return client.config.region();
}

async function describeStack(client: CloudFormationClient, stack: string) {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    if (Stacks?.[0] !== undefined) {
      return Stacks[0];
    }
  } catch (error) {
    // If a stack is missing, CloudFormation returns a ValidationError, "Stack with id X does not exist".
    if (!(error instanceof Error && /does not exist/.test(error.message))) {
      throw toOperatorError(error, `looking for the stack ${stack}`);
    }
  }
  throw new OperatorError(
    `There is no stack ${stack} in ${await regionOf(client)} in this account. If it is in another region: --region eu-central-1. ` +
      'In another account: --profile NAME. Under another name: --stack NAME. On this machine: --local. ' +
      'If it is not deployed yet: npm run deploy',
  );
}

function configurationFrom(
  environment: Readonly<Record<string, string>>,
  fix: string,
): Configuration<readonly Policy[]> {
  try {
    return readConfiguration(environment, parsePolicies);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      throw new OperatorError(
        `The function's configuration is invalid, so it answers every request with "misconfigured":\n${error.message}\n${fix}`,
        { cause: error },
      );
    }
    throw error;
  }
}
