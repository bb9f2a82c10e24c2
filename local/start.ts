/**
 * `npm start`: builds and starts the whole issuer on this machine. It prints the addresses as one line of JSON, then as text
 * for people, and stops everything on SIGINT or SIGTERM.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process, { env } from 'node:process';
import { ConfigurationError, readConfiguration, VARIABLES } from '../contract/configuration.ts';
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../contract/endpoint.ts';
import { loadSessionConfig } from '../lambda/openai/session-config.ts';
import { parsePolicies } from '../limiter/index.ts';
import { buildFunctions } from '../scripts/build-function.ts';
import { buildPage, PAGE_FOLDER } from '../scripts/build-page.ts';
import { removeOldLogs } from './old-logs.ts';
import { PASSED_THROUGH, STACKS_FOLDER, type Stack, type StackOptions, startStack } from './stack.ts';

const DEFAULT_PORT = 8787;
const HIGHEST_PORT = 65_535;
const DEFAULT_CONCURRENCY = '5';
/** Ten with the log of this start. */
const OLD_LOGS = 9;

let stopping = false;

try {
  const options = await optionsIn(env);
  const starting = start(options);
  stopOnSignal(starting);
  const stack = await starting;
  if (!stopping) {
    announce(stack, options);
  }
} catch (error) {
  // Ctrl+C stops Java too, so errors during a stop are expected.
  if (stopping) {
    process.exit(0);
  }
  console.error(explain(error));
  process.exit(1);
}

async function start(options: StackOptions): Promise<Stack> {
  await Promise.all([buildFunctions(), buildPage(PAGE_FOLDER), removeOldLogs(STACKS_FOLDER, OLD_LOGS)]);
  return await startStack(options);
}

async function optionsIn(environment: NodeJS.ProcessEnv): Promise<StackOptions> {
  const apiKey = environment['OPENAI_API_KEY'] || undefined;
  const baseUrl = environment['OPENAI_BASE_URL'] || undefined;
  const isReal = apiKey !== undefined || baseUrl !== undefined;
  return {
    port: portIn(environment['PORT'] ?? String(DEFAULT_PORT)),
    concurrency: concurrencyIn(environment['CONCURRENCY'] ?? (await contextConcurrency())),
    environment: Object.fromEntries(PASSED_THROUGH.map((name) => [name, environment[name]])),
    ...(isReal
      ? {
          openai: {
            baseUrl: baseUrlIn(baseUrl ?? VARIABLES.OPENAI_BASE_URL.default),
            apiKey: apiKey ?? 'sk-none-was-given',
          },
        }
      : {}),
  };
}

function portIn(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > HIGHEST_PORT) {
    throw new ConfigurationError(
      `PORT=${JSON.stringify(text)} is invalid: it must be a port from 0 to ${HIGHEST_PORT}; 0 takes a free port. For example: PORT=8787`,
    );
  }
  return Number(text);
}

function concurrencyIn(text: string): number | 'off' {
  if (text === 'off') {
    return 'off';
  }
  if (!/^[1-9]\d{0,3}$/.test(text)) {
    throw new ConfigurationError(
      `CONCURRENCY=${JSON.stringify(text)} is invalid: it must be a whole number from 1 to 9999, or off. For example: CONCURRENCY=5`,
    );
  }
  return Number(text);
}

function baseUrlIn(text: string): string {
  try {
    return VARIABLES.OPENAI_BASE_URL.parse(text);
  } catch (error) {
    throw new ConfigurationError(
      `OPENAI_BASE_URL=${JSON.stringify(text)} is invalid: ${explain(error)}. For example: OPENAI_BASE_URL=${VARIABLES.OPENAI_BASE_URL.example}`,
      { cause: error },
    );
  }
}

/** The concurrency that a deployment would use. */
async function contextConcurrency(): Promise<string> {
  try {
    const { context } = JSON.parse(await readFile(join(import.meta.dirname, '../cdk.json'), 'utf8'));
    return String(context.reservedConcurrency ?? DEFAULT_CONCURRENCY);
  } catch {
    return DEFAULT_CONCURRENCY;
  }
}

/** If the stack is still starting, it is stopped as soon as it has started. */
function stopOnSignal(starting: Promise<Stack>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, async () => {
      if (stopping) {
        return;
      }
      stopping = true;
      const stack = await starting.catch(() => undefined);
      await stack?.close();
      process.exit(0);
    });
  }
}

function announce({ addresses, engine, openai }: Stack, options: StackOptions): void {
  console.log(JSON.stringify(addresses));
  console.log(`
  Demo page       ${addresses.url}
  Request a key   curl -i -X POST -H '${BODY_HASH_HEADER}: ${EMPTY_BODY_SHA256}' ${addresses.url}${SESSION_PATH}
  Other visitors  curl --interface 127.0.0.2 …, 127.0.0.3, and so on
  DynamoDB        ${engine}, table ${addresses.table}
  OpenAI          ${openai === undefined ? addresses.openai : `a stand-in; to make it fail: curl -X PUT -d '{"mode":"server_error"}' ${openai.origin}/control`}
  Concurrency     ${options.concurrency === 'off' ? 'no cap' : `at most ${options.concurrency} requests at once, as with Lambda's reserved concurrency`}
  Log             ${addresses.log}

  Press Ctrl+C to stop everything.`);
  if (engine === 'dynalite') {
    console.error(
      '  Java 17 or later was not found, so dynalite replaces DynamoDB Local. This is enough to try things out. To run the ' +
        'tests, install Java.\n',
    );
  }
  const invalid = configurationError(options, addresses);
  if (invalid !== undefined) {
    console.error(
      `  The configuration is invalid. The function answers every request with "misconfigured", as on AWS:\n${invalid}\n`,
    );
  }
}

function configurationError(
  options: StackOptions,
  { table, parameter, openai }: Stack['addresses'],
): string | undefined {
  try {
    const { sessionConfig } = readConfiguration(
      { ...options.environment, TABLE_NAME: table, OPENAI_KEY_PARAMETER: parameter, OPENAI_BASE_URL: openai },
      parsePolicies,
    );
    loadSessionConfig(sessionConfig, new URL('../session.json', import.meta.url));
    return undefined;
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return 'The port is already in use, perhaps by another local stack. Choose another port, for example PORT=8788 npm start, or a free port with PORT=0 npm start.';
  }
  return error instanceof Error ? error.message : String(error);
}
