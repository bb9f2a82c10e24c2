import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createLimiter, type Limiter, parsePolicies, type Table } from '../../limiter/index.ts';
import { createRefusalCache } from '../../limiter/refusal-cache.ts';
import { type MemoryTable, memoryTable } from '../support/memory-table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const SUBJECTS_A_SECOND = 100;
const MINUTE_S = 60;
const MOST_ENTRIES = 10_000;
const MEGABYTE = 1_048_576;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collectGarbage();
  return memoryUsage().heapUsed;
}

/** A table whose items can be dropped, so that only the limiter's memory is measured. */
function forgetfulTable(): { readonly table: Table; readonly forget: () => void } {
  let inner: MemoryTable = memoryTable();
  const send = (...args: Parameters<Table['client']['send']>) => inner.client.send(...args);
  return {
    table: { name: 'memory', client: { send } as unknown as Table['client'] },
    forget: () => {
      inner = memoryTable();
    },
  };
}

/** New subjects every second, each calling twice. @returns how many second calls were refused */
async function minute(limiter: Limiter, nextSecond: () => void, number: number): Promise<number> {
  let refusals = 0;
  for (let second = 0; second < MINUTE_S; second += 1) {
    nextSecond();
    for (let each = 0; each < SUBJECTS_A_SECOND; each += 1) {
      const subject = `subject-${number}-${second}-${each}`;
      await limiter.reserve(subject);
      const again = limiter.knownRefusal(subject) ?? (await limiter.reserve(subject));
      refusals += Number(!again.admitted);
    }
  }
  return refusals;
}

describe('a hundred new subjects per second, each refused once', () => {
  it.each(['1/1h', 'sliding 1/1h', 'bucket 1/1h burst 1'])(
    '%s: memory does not grow once the refusal cache is full',
    async (text) => {
      const { table, forget } = forgetfulTable();
      let now = NOON;
      const scopes = [{ name: 'client', policies: parsePolicies(text), counts: 'each' as const }];
      const limiter = createLimiter({ table, scopes, now: () => now });
      const nextSecond = () => {
        now += 1_000;
        forget();
      };
      // Two minutes give 12,000 refusals, more than are cached.
      await minute(limiter, nextSecond, 1);
      await minute(limiter, nextSecond, 2);
      const before = heapUsed();

      expect(await minute(limiter, nextSecond, 3)).toBe(SUBJECTS_A_SECOND * MINUTE_S);
      expect(heapUsed() - before).toBeLessThan(2 * MEGABYTE);
    },
  );

  it('fill the refusal cache to its maximum and no further', () => {
    const cache = createRefusalCache();
    const state = { scope: 'client', limit: 1, windowMs: 3_600_000, remaining: 0, resetAt: NOON + 3_600_000 };
    let largest = 0;
    for (let each = 0; each < 3 * MOST_ENTRIES; each += 1) {
      cache.remember(`subject-${each}`, { state, retryAt: state.resetAt }, NOON + each * 10);
      largest = Math.max(largest, cache.size());
    }
    expect(largest).toBe(MOST_ENTRIES);
  });
});
