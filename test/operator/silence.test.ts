import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalStack } from '../../operator/stack/local-stack.ts';
import { issuer, ROOT } from './command.ts';

const ACCOUNT = { region: 'us-east-1', credentials: { accessKeyId: 'any', secretAccessKey: 'any' } };

/** Accepts connections, and never sends anything. */
let silent: Server;
const connections: Socket[] = [];
let endpoint: string;
let stackFile: string;
let port: string;

beforeAll(async () => {
  // The SDK makes three attempts by default. One is enough to show that the command ends.
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  silent = createServer((connection) => connections.push(connection)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  port = String((silent.address() as AddressInfo).port);
  endpoint = `http://127.0.0.1:${port}`;
  stackFile = join(ROOT, '.local', `${port}.json`);
  const stack: LocalStack = {
    url: endpoint,
    function: endpoint,
    dynamodb: endpoint,
    ssm: endpoint,
    table: 'silent',
    parameter: '/key',
    log: join(ROOT, '.local/silent.log'),
  };
  await mkdir(join(ROOT, '.local'), { recursive: true });
  await writeFile(stackFile, JSON.stringify(stack));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(stackFile, { force: true });
  for (const connection of connections) {
    connection.destroy();
  }
  silent.close();
});

describe('if AWS accepts the connection and does not answer', () => {
  it.concurrent('a command on AWS times out with an error message', async () => {
    const { code, errors } = await issuer(['pause'], { client: { ...ACCOUNT, endpoint } });

    expect(errors).toContain('did not answer in time');
    expect(code).toBe(1);
  });

  it.concurrent('a command on a local stack times out with an error message', async () => {
    const { code, errors } = await issuer(['pause', '--local', port]);

    expect(errors).toContain('did not answer in time');
    expect(code).toBe(1);
  });

  it.concurrent('doctor times out and reports it as a failed check', async () => {
    const { code, out } = await issuer(['doctor'], { client: { ...ACCOUNT, endpoint } });

    expect(out).toContain('did not answer in time');
    expect(code).toBe(1);
  });
});
