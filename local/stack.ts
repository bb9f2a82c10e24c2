/**
 * The whole issuer on this machine: DynamoDB, SSM, OpenAI, the function and the edge, on loopback ports, started in the order
 * of their dependencies. `npm start` and the tests run this same stack.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { readConfiguration, VARIABLES, type VariableName } from '../contract/configuration.ts';
import { parsePolicies } from '../limiter/index.ts';
import { FUNCTION_BUNDLE } from '../scripts/build-function.ts';
import { PAGE_FOLDER } from '../scripts/build-page.ts';
import { createTable, type DynamoDb, startDynamoDb } from './aws/dynamodb.ts';
import { startEdge } from './aws/edge.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from './aws/identity.ts';
import { startFunction } from './aws/lambda/function.ts';
import { startFunctionUrl } from './aws/lambda/function-url.ts';
import { createOriginAccess } from './aws/origin-access.ts';
import { type Ssm, startSsm } from './aws/ssm.ts';
import { listen } from './http/http-server.ts';
import { type OpenAI, startOpenAI } from './openai/server.ts';

export interface StackOptions {
  /** The edge's port; 0 takes a free one. */
  readonly port: number;
  /** Reserved concurrency. */
  readonly concurrency: number | 'off';
  /** The function's environment variables, except those that the stack sets itself. */
  readonly environment: Readonly<Partial<Record<VariableName, string | undefined>>>;
  /** The real OpenAI, or an existing stand-in. Without it, a stand-in is started. */
  readonly openai?: { readonly baseUrl: string; readonly apiKey: string };
  /** A running DynamoDB. Without it, one is started. */
  readonly dynamodb?: DynamoDb;
}

/** The content of the ready line of `npm start` and of `.local/<port>.json`, with which other programs find the stack. */
export interface StackAddresses {
  readonly url: string;
  readonly function: string;
  readonly dynamodb: string;
  readonly ssm: string;
  readonly openai: string;
  readonly table: string;
  readonly parameter: string;
  readonly log: string;
}

export interface Stack {
  readonly addresses: StackAddresses;
  /** The function's environment variables, to start further containers. */
  readonly functionEnvironment: Readonly<Record<string, string>>;
  readonly engine: DynamoDb['engine'];
  readonly ssm: Ssm;
  /** The stand-in, if one was started. */
  readonly openai: OpenAI | undefined;
  readonly close: () => Promise<void>;
}

export const STACKS_FOLDER = join(import.meta.dirname, '../.local');

/** With more requests at once, a laptop's few cores would reach DynamoDB's timeout. Lambda has more machines. */
const AT_ONCE_WITHOUT_CAP = 8;

const PARAMETER = '/ephemeral-key-issuer/openai-api-key';
const SET_BY_STACK = new Set<VariableName>(['TABLE_NAME', 'OPENAI_KEY_PARAMETER', 'OPENAI_BASE_URL']);

/** The environment variables that `npm start` passes through to the function. */
export const PASSED_THROUGH = (Object.keys(VARIABLES) as VariableName[]).filter((name) => !SET_BY_STACK.has(name));

/** @throws Error if a part does not start, after it has stopped the parts that did */
export async function startStack(options: StackOptions): Promise<Stack> {
  // Fail at once if the port is in use, not after everything else has started.
  await (await listen(() => undefined, options.port)).close();
  await using started = new AsyncDisposableStack();
  const keep = <Part extends { readonly close: () => Promise<void> }>(part: Part): Part =>
    started.adopt(part, ({ close }) => close());

  const dynamodb = options.dynamodb ?? keep(await startDynamoDb());
  const table = `issuer-${randomBytes(4).toString('hex')}`;
  await createTableIn(dynamodb.endpoint, table);

  const upstream = options.openai ?? { apiKey: `sk-local-${randomBytes(24).toString('hex')}` };
  const standIn = 'baseUrl' in upstream ? undefined : keep(await startOpenAI(upstream));
  const openai = 'baseUrl' in upstream ? upstream.baseUrl : (standIn?.baseUrl ?? '');
  const ssm = keep(await startSsm({ name: PARAMETER, value: upstream.apiKey }));

  await mkdir(STACKS_FOLDER, { recursive: true });
  const log = join(STACKS_FOLDER, `${table}.log`);
  let isRunning = false;
  // Keep the log of a stack that ran. If the stack did not start, its log is empty.
  started.defer(() => (isRunning ? undefined : rm(log, { force: true })));
  const environment = {
    ...definedOnly(options.environment),
    TABLE_NAME: table,
    OPENAI_KEY_PARAMETER: PARAMETER,
    OPENAI_BASE_URL: openai,
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    AWS_LAMBDA_FUNCTION_NAME: table,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
    AWS_ENDPOINT_URL_SSM: ssm.endpoint,
  };
  // In place of GetFunctionConfiguration on AWS: the operator's command line reads the limits from this file.
  const configuration = join(STACKS_FOLDER, `${table}.environment.json`);
  started.defer(() => rm(configuration, { force: true }));
  await writeFile(configuration, `${JSON.stringify(environment)}\n`);
  const fn = keep(await startFunction({ bundle: FUNCTION_BUNDLE, log, environment }));
  const originAccess = createOriginAccess();
  const { concurrency, port } = options;
  const functionUrl = keep(await startFunctionUrl({ invoke: fn.invoke, originAccess, concurrency }));
  const allowedOrigins = allowedOriginsIn(environment);
  const edge = keep(
    await startEdge({
      port,
      functionUrl: functionUrl.origin,
      originAccess,
      allowedOrigins,
      mostAtOnce: concurrency === 'off' ? AT_ONCE_WITHOUT_CAP : Number.POSITIVE_INFINITY,
      page: PAGE_FOLDER,
      openaiBaseUrl: openai,
    }),
  );

  const addresses: StackAddresses = {
    url: edge.origin,
    function: functionUrl.origin,
    dynamodb: dynamodb.endpoint,
    ssm: ssm.endpoint,
    openai,
    table,
    parameter: PARAMETER,
    log,
  };
  const announcement = join(STACKS_FOLDER, `${edge.port}.json`);
  started.defer(() => rm(announcement, { force: true }));
  await writeFile(announcement, `${JSON.stringify(addresses)}\n`);

  isRunning = true;
  const running = started.move();
  return {
    addresses,
    functionEnvironment: environment,
    engine: dynamodb.engine,
    ssm,
    openai: standIn,
    close: () => running.disposeAsync(),
  };
}

async function createTableIn(endpoint: string, table: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
  await createTable(client, table);
  client.destroy();
}

function definedOnly(environment: StackOptions['environment']): Record<string, string> {
  const defined = PASSED_THROUGH.map((name) => [name, environment[name]] as const);
  return Object.fromEntries(defined.filter((entry): entry is [VariableName, string] => entry[1] !== undefined));
}

/** If the configuration is invalid, the function reports it; the edge then allows no other origin. */
function allowedOriginsIn(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    return readConfiguration(environment, parsePolicies).allowedOrigins;
  } catch {
    return [];
  }
}
