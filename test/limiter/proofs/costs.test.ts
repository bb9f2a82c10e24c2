import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reserveUnder } from '../../../limiter/algorithms/algorithms.ts';
import { createLimiter } from '../../../limiter/index.ts';
import { type Policy, parsePolicies } from '../../../limiter/policy/policy.ts';
import { type MemoryTable, memoryTable } from '../../support/memory-table.ts';
import { seededRandom } from '../../support/random.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

// A sliding window takes a random slot. The seed makes every run the same.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockImplementation(seededRandom(9));
});
afterEach(() => {
  vi.restoreAllMocks();
});

function policyOf(text: string): Policy {
  const [policy] = parsePolicies(text);
  if (policy === undefined) {
    throw new TypeError(`no limit: ${text}`);
  }
  return policy;
}

async function call(table: MemoryTable, text: string, subject = 'anna') {
  const policy = policyOf(text);
  return await reserveUnder(table, { name: 'client', policies: [policy], counts: 'each' }, policy, subject, NOON);
}

/** The highest number of requests for one of several consecutive calls. */
async function mostRequests(table: MemoryTable, text: string, calls: number, admitted: boolean): Promise<number> {
  let most = 0;
  for (let each = 1; each <= calls; each += 1) {
    expect((await call(table, text)).admitted).toBe(admitted);
    most = Math.max(most, table.takeRequests());
  }
  return most;
}

describe('requests for a decision, uncontended', () => {
  it.each([
    { text: '20/1h', admission: 1, refusal: 1, release: 1 },
    { text: 'sliding 20/1h', admission: 2, refusal: 1, release: 1 },
    { text: 'bucket 40/1h burst 20', admission: 2, refusal: 1, release: 1 },
  ])(
    '$text: at most $admission for an admission, $refusal for a refusal, $release for a release',
    async ({ text, admission, refusal, release }) => {
      const table = memoryTable();
      expect(await mostRequests(table, text, 20, true)).toBe(admission);
      expect(await mostRequests(table, text, 50, false)).toBe(refusal);

      const first = await call(table, text, 'ben');
      table.takeRequests();
      await (first.admitted && first.release(NOON));
      expect(table.takeRequests()).toBe(release);
    },
  );

  it.each(['5/1h', 'sliding 5/1h', 'bucket 5/1h burst 5'])('%s: none for a cached refusal', async (text) => {
    const table = memoryTable();
    const scopes = [{ name: 'client', policies: parsePolicies(text), counts: 'each' as const }];
    const limiter = createLimiter({ table, scopes, now: () => NOON });
    for (let each = 1; each <= 6; each += 1) {
      await limiter.reserve('anna');
    }
    table.takeRequests();

    expect(limiter.knownRefusal('anna')).toMatchObject({ cached: true });
    expect(table.takeRequests()).toBe(0);
  });
});

/** Upper bounds, slightly above the measured values in docs/limiter.md. */
describe('requests per decision when all callers call at once', () => {
  it.each([
    { text: '10/1h', callers: 10, most: 1 },
    { text: '10/1h', callers: 200, most: 1 },
    { text: 'sliding 10/1h', callers: 10, most: 1.6 },
    { text: 'sliding 10/1h', callers: 200, most: 1.2 },
    { text: 'sliding 100/1h', callers: 100, most: 1.8 },
    { text: 'sliding 100/1h', callers: 200, most: 1.8 },
    { text: 'bucket 10/1h burst 10', callers: 10, most: 2 },
    { text: 'bucket 10/1h burst 10', callers: 200, most: 1.4 },
  ])('$text, $callers callers: at most $most', async ({ text, callers, most }) => {
    const random = seededRandom(3);
    const subjects = 20;
    const table = memoryTable((waiting) => Math.floor(random() * waiting));
    await Promise.all(
      Array.from({ length: callers * subjects }, (_, index) => call(table, text, `subject-${index % subjects}`)),
    );

    const perDecision = table.takeRequests() / (callers * subjects);
    expect(perDecision).toBeLessThanOrEqual(most);
  });
});
