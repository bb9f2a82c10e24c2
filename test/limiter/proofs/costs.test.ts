import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reserveUnder } from '../../../limiter/algorithms/algorithms.ts';
import { createLimiter } from '../../../limiter/index.ts';
import { type Policy, parsePolicies } from '../../../limiter/policy/policy.ts';
import { type MemoryTable, memoryTable } from '../../support/memory-table.ts';
import { seededRandom } from '../../support/random.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

// A sliding window takes a random slot: the same ones in every run.
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

/** The most requests that one of so many calls in a row took. */
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
    { text: '20/1h', yes: 1, no: 1, release: 1 },
    { text: 'sliding 20/1h', yes: 2, no: 1, release: 1 },
    { text: 'bucket 40/1h burst 20', yes: 2, no: 1, release: 1 },
  ])('$text: at most $yes for a yes, $no for a no, $release to give back', async ({ text, yes, no, release }) => {
    const table = memoryTable();
    expect(await mostRequests(table, text, 20, true)).toBe(yes);
    expect(await mostRequests(table, text, 50, false)).toBe(no);

    const first = await call(table, text, 'ben');
    table.takeRequests();
    await (first.admitted && first.release(NOON));
    expect(table.takeRequests()).toBe(release);
  });

  it.each(['5/1h', 'sliding 5/1h', 'bucket 5/1h burst 5'])('%s: none for a refusal that is known', async (text) => {
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

/** The bounds that docs/limiter.md gives, a little above what is measured. */
describe('requests per decision when all callers come at once', () => {
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
