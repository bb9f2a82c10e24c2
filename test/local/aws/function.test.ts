import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FUNCTION_TIMEOUT_MS } from '../../../contract/times.ts';
import { type LocalFunction, startFunction } from '../../../local/aws/function.ts';

const BUNDLE = `
export async function handler({ way }) {
  switch (way) {
    case 'well': return 'an answer';
    case 'throws': throw new Error('the bundle has a fault');
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

describe('what ends a request without an answer is in the log, as Lambda has it', () => {
  it('an exception', async () => {
    await expect(fn.invoke({ way: 'throws' })).rejects.toThrow('the bundle has a fault');
    await vi.waitFor(async () => expect(await log()).toMatch(/^\S+Z \S+ Error: the bundle has a fault\n/));
    expect(await fn.invoke({ way: 'well' })).toBe('an answer');
  });

  it('a process that ends', async () => {
    await expect(fn.invoke({ way: 'exits' })).rejects.toThrow('Runtime exited');
    await vi.waitFor(async () => expect(await log()).toMatch(/^\S+Z \S+ Runtime exited\n$/));
  });

  it('time that is over', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hanging = fn.invoke({ way: 'hangs' });
    const inTime = fn.invoke({ way: 'well' });
    expect(await inTime).toBe('an answer');
    vi.advanceTimersByTime(FUNCTION_TIMEOUT_MS);
    await expect(hanging).rejects.toThrow('Task timed out');
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await log()).toMatch(/^\S+Z \S+ Task timed out after 15\.00 seconds\n$/));
  });

  it('one that is closed meanwhile is told so, and nothing is written any more', async () => {
    const hanging = expect(fn.invoke({ way: 'hangs' })).rejects.toThrow('Runtime exited');
    await fn.close();
    await hanging;
    expect(await log()).toBe('');
  });
});
