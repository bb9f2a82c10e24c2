/**
 * The issuer that a command works on: one that was deployed, found by its stack's outputs, or one that `npm start` runs on
 * this machine. From here on, commands see no difference but in what a laptop does not have.
 */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SSMClient } from '@aws-sdk/client-ssm';
import { type Configuration, ConfigurationError, readConfiguration } from '../../contract/configuration.ts';
import { OUTPUTS, type OutputName, STACK_NAME } from '../../contract/outputs.ts';
import { type Policy, parsePolicies, type Table } from '../../limiter/index.ts';
import { inWords, OperatorError } from '../operator-error.ts';
import { PATIENCE } from './aws-timeouts.ts';
import { findLocalStack, readLocalEnvironment } from './local-stack.ts';
import { type TableClock, tableClockOf } from './table-clock.ts';

export interface Deployment {
  /** For people: `EphemeralKeyIssuer in eu-central-1`, or `the local stack at http://127.0.0.1:8787`. */
  readonly name: string;
  readonly url: string | undefined;
  readonly table: Table;
  readonly tableClock: TableClock;
  readonly ssm: SSMClient;
  readonly keyParameter: string;
  /** What the function runs with. @throws OperatorError */
  readonly configuration: () => Promise<Configuration<readonly Policy[]>>;
  readonly place: OnAws | Local;
  /** ` --stack Demo`: by which a command of ours that is advised finds the same issuer. */
  readonly sameIssuer: string;
}

export interface OnAws {
  readonly kind: 'aws';
  readonly lambda: LambdaClient;
  readonly functionName: string;
  readonly logs: CloudWatchLogsClient;
  readonly logGroup: string;
  /** ` --region eu-central-1`: by which a command of AWS's that is advised finds the same function. */
  readonly sameAccount: string;
}

export interface Local {
  readonly kind: 'local';
  /** The file with the function's log lines. */
  readonly log: string;
}

/** Whatever the SDK's clients take; tests give them a script for an AWS. */
export type ClientConfig = NonNullable<ConstructorParameters<typeof CloudFormationClient>[0]>;

export interface Target {
  /** A port: the stack that `npm start` runs there. Without it, one on AWS. */
  readonly local?: string | undefined;
  /** @default what bin/app.ts deploys */
  readonly stack?: string | undefined;
  readonly profile?: string | undefined;
  readonly client: ClientConfig;
  readonly sameIssuer: string;
}

/** @throws OperatorError if there is none, or AWS does not say */
export async function findDeployment(target: Target): Promise<Deployment> {
  return target.local === undefined ? await onAws(target) : await onThisMachine(target.local, target.sameIssuer);
}

async function onThisMachine(port: string, sameIssuer: string): Promise<Deployment> {
  const stack = await findLocalStack(port);
  if (stack === undefined) {
    throw new OperatorError(`No local stack runs on port ${port}. Start one: PORT=${port} npm start`);
  }
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const local = { ...PATIENCE, region: 'us-east-1', credentials };
  const dynamodb = new DynamoDBClient({ ...local, endpoint: stack.dynamodb });
  return {
    name: `the local stack at ${stack.url}`,
    url: stack.url,
    table: { client: dynamodb, name: stack.table },
    tableClock: tableClockOf(dynamodb),
    ssm: new SSMClient({ ...local, endpoint: stack.ssm }),
    keyParameter: stack.parameter,
    configuration: async () => configurationFrom(await readLocalEnvironment(stack)),
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
        throw inWords(error, `reading the configuration of ${functionName}`);
      });
      return configurationFrom(Environment?.Variables ?? {});
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
      `The stack ${stack} (${found.StackStatus ?? 'of unknown status'}) has no output ${missing.join(', ')}. An issuer's stack ` +
        `has ${Object.keys(OUTPUTS).join(', ')}: deploy it again with npm run deploy, or name another one with --stack NAME.`,
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
    // CloudFormation's word for a stack that is not there: ValidationError, "Stack with id X does not exist".
    if (!(error instanceof Error && /does not exist/.test(error.message))) {
      throw inWords(error, `looking for the stack ${stack}`);
    }
  }
  throw new OperatorError(
    `There is no stack ${stack} in ${await regionOf(client)}, in this account. Another region: --region eu-central-1. ` +
      'Another account: --profile NAME. Another name: --stack NAME. Not deployed yet: npm run deploy. ' +
      'On this machine: --local',
  );
}

function configurationFrom(environment: Readonly<Record<string, string>>): Configuration<readonly Policy[]> {
  try {
    return readConfiguration(environment, parsePolicies);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      throw new OperatorError(
        `The function's configuration is wrong, and it answers "misconfigured" to everybody:\n${error.message}`,
        { cause: error },
      );
    }
    throw error;
  }
}
