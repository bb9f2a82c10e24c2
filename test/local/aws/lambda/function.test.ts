import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FUNCTION_TIMEOUT_MS } from '../../../../contract/times.ts';
import { type LocalFunction, startFunction } from '../../../../local/aws/lambda/function.ts';

const BUNDLE = `
export async function handler({ way }) {
  switch (way) {
    case 'succeeds': return 'an answer';
    case 'throws': throw new Error('the bundle has a bug');
    case 'exits': process.exit(1);
    case 'hangs': return await new Promise(() => {});
  }
}
`;

let folder: string;
let fn: LocalFunction;
const log = () => readFile(join(folder, 'log'), 'utf8');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'function-'));
  await writeFile(join(folder, 'bundle.mjs'), BUNDLE);
  fn = await startFunction({ bundle: join(folder, 'bundle.mjs'), log: join(folder, 'log'), environment: {} });
});
afterEach(async () => {
  vi.useRealTimers();
  await fn.close();
  await rm(folder, { recursive: true });
});

describe('the log has, as on Lambda, what ended a request without a response:', () => {
  it('an exception', async () => {
    await expect(fn.invoke({ way: 'throws' })).rejects.toThrow('the bundle has a bug');
    await vi.waitFor(async () => expect(await log()).toMatch(/^\S+Z \S+ Error: the bundle has a bug\n/));
    expect(await fn.invoke({ way: 'succeeds' })).toBe('an answer');
  });

  it('a process that ends', async () => {
    await expect(fn.invoke({ way: 'exits' })).rejects.toThrow('Runtime exited');
    await vi.waitFor(async () => expect(await log()).toMatch(/^\S+Z \S+ Runtime exited with error: exit status 1\n$/));
  });

  it('a timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hanging = fn.invoke({ way: 'hangs' });
    const inTime = fn.invoke({ way: 'succeeds' });
    expect(await inTime).toBe('an answer');
    vi.advanceTimersByTime(FUNCTION_TIMEOUT_MS);
    await expect(hanging).rejects.toThrow('Task timed out');
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await log()).toMatch(/^\S+Z \S+ Task timed out after 15\.00 seconds\n$/));
  });

  it('but not a request that ended because the function was closed', async () => {
    const hanging = expect(fn.invoke({ way: 'hangs' })).rejects.toThrow('Runtime exited');
    await fn.close();
    await hanging;
    expect(await log()).toBe('');
  });
});
