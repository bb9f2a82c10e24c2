import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { VARIABLES } from '../../contract/configuration.ts';
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../../contract/endpoint.ts';
import { STACKS_FOLDER, type StackAddresses } from '../../local/stack.ts';
import { FUNCTION_BUNDLE } from '../../scripts/build-function.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Started {
  readonly child: ChildProcess;
  readonly addresses: StackAddresses;
  readonly errors: () => string;
}

/**
 * The environment without the variables that `npm start` reads: a test must not use a developer's own OPENAI_API_KEY, and a
 * developer's limits must not change the results.
 */
const UNCONFIGURED = Object.fromEntries(
  Object.entries(env).filter(([name]) => !(name in VARIABLES || ['OPENAI_API_KEY', 'CONCURRENCY'].includes(name))),
);

const running = new Set<ChildProcess>();
const logs = new Set<string>();
afterEach(async () => {
  for (const child of running) {
    await stop(child, 'SIGTERM');
  }
  for (const log of logs) {
    await rm(log, { force: true });
  }
});

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  running.delete(child);
  child.kill(signal);
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  return code;
}

/** Waits for the ready line. */
async function start(command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn(command, args, { cwd: ROOT, env: { ...UNCONFIGURED, PORT: '0', ...environment } });
  running.add(child);
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors += text;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) {
      child.stdout.resume();
      const addresses: StackAddresses = JSON.parse(line);
      logs.add(addresses.log);
      return { child, addresses, errors: () => errors };
    }
  }
  throw new Error(`It did not start: ${errors}`);
}

const npmStart = (environment: NodeJS.ProcessEnv = {}) => start('npm', ['start'], environment);
/** For tests that do not need DynamoDB Local, which takes seconds to start. */
const withoutJava = (environment: NodeJS.ProcessEnv) =>
  start(execPath, ['local/start.ts'], { PATH: '', ...environment });

async function post(url: string): Promise<Response> {
  return await fetch(url + SESSION_PATH, { method: 'POST', headers: { [BODY_HASH_HEADER]: EMPTY_BODY_SHA256 } });
}

const builtAt = async () => (await stat(FUNCTION_BUNDLE)).mtimeMs;

const isAnswering = async (url: string) => {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
};

// On a busy machine, each start is slow.
describe('npm start', { timeout: 180_000 }, () => {
  it('prints all addresses as one line of JSON, writes them to .local, issues keys, and stops everything', async () => {
    // Empty variables count as absent: a stand-in is started.
    const { child, addresses } = await npmStart({ OPENAI_API_KEY: '', OPENAI_BASE_URL: '' });
    const announcement = join(STACKS_FOLDER, `${new URL(addresses.url).port}.json`);

    expect(Object.keys(addresses)).toEqual([
      'url',
      'function',
      'dynamodb',
      'ssm',
      'openai',
      'table',
      'parameter',
      'log',
    ]);
    expect((await post(addresses.url)).status).toBe(200);
    expect(await (await fetch(addresses.url)).text()).toContain('<html');
    expect(JSON.parse(await readFile(announcement, 'utf8'))).toEqual(addresses);
    await expect(npmStart({ PORT: new URL(addresses.url).port })).rejects.toThrow('The port is already in use');

    const parts = [addresses.url, addresses.function, addresses.dynamodb, addresses.ssm, addresses.openai];
    expect(await Promise.all(parts.map(isAnswering))).toEqual(parts.map(() => true));
    expect(await stop(child, 'SIGTERM')).toBe(0);
    expect(await Promise.all(parts.map(isAnswering))).toEqual(parts.map(() => false));
    await expect(readFile(announcement)).rejects.toThrow('ENOENT');
  });

  it('runs next to other stacks, each with its own table, limits and OpenAI', async () => {
    const [first, second] = await Promise.all([
      npmStart({ CLIENT_LIMITS: '1/1d' }),
      npmStart({ CLIENT_LIMITS: 'ten an hour' }),
    ]);
    const third = await withoutJava({
      OPENAI_BASE_URL: first.addresses.openai,
      OPENAI_API_KEY: 'sk-not-the-right-one',
    });

    expect([(await post(first.addresses.url)).status, (await post(first.addresses.url)).status]).toEqual([200, 429]);
    // An invalid limit has the same response as on AWS, and a warning.
    expect(await (await post(second.addresses.url)).json()).toMatchObject({ code: 'misconfigured' });
    expect(second.errors()).toContain('For example: CLIENT_LIMITS=10/1h');
    expect(third.addresses.openai).toBe(first.addresses.openai);
    expect(await (await post(third.addresses.url)).json()).toMatchObject({ code: 'upstream_refused' });
    expect(await stop(third.child, 'SIGINT')).toBe(0);
  });

  // Without npm, which forwards only SIGTERM and SIGINT. A closed terminal sends SIGHUP to all of its processes.
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('stops without output on %s during the start', async (signal) => {
    const before = await builtAt();
    const child = spawn(execPath, ['local/start.ts'], { cwd: ROOT, env: { ...UNCONFIGURED, PORT: '0' } });
    let output = '';
    child.stdout.on('data', (text: Buffer) => {
      output += text;
    });
    child.stderr.on('data', (text: Buffer) => {
      output += text;
    });
    // After the build, Java takes at least a second to start.
    await vi.waitFor(async () => expect(await builtAt()).toBeGreaterThan(before), { timeout: 30_000 });

    expect(await stop(child, signal)).toBe(0);
    expect(output).toBe('');
  });

  it('uses dynalite if Java is missing, and says so', async () => {
    const { addresses, errors } = await withoutJava({ CLIENT_LIMITS: '2/1d' });

    const statuses = [await post(addresses.url), await post(addresses.url), await post(addresses.url)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(errors()).toContain('dynalite replaces DynamoDB Local');
  });

  it.each([
    [{ PORT: 'eight' }, 'it must be a port from 0 to 65535; 0 takes a free port. For example: PORT=8787'],
    [{ PORT: '' }, 'it must be a port from 0 to 65535; 0 takes a free port. For example: PORT=8787'],
    [{ OPENAI_BASE_URL: 'api.openai.com' }, 'For example: OPENAI_BASE_URL=https://api.openai.com/v1'],
    [{ CONCURRENCY: '0' }, 'For example: CONCURRENCY=5'],
  ])('with %j exits and shows a valid value', async (environment, sentence) => {
    await expect(npmStart(environment)).rejects.toThrow(sentence);
  });
});
