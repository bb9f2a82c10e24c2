import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../../contract/endpoint.ts';
import type { StatusReport } from '../../operator/commands/status.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { issuer, local } from './command.ts';

const BUDGET = 40;
const VIEWERS = 300;
const AT_ONCE = 6;

let stack: TestStack;
let statuses: number[];
let lines: Readonly<Record<string, unknown>>[] = [];

beforeAll(async () => {
  stack = await startTestStack({ environment: { CLIENT_LIMITS: '10/1d', GLOBAL_LIMITS: `${BUDGET}/1d` } });
  statuses = await abuse(stack.addresses.url);
});
afterAll(async () => {
  await stack.close();
});

/** Each address sends one request, and the first address twelve more. */
async function abuse(url: string): Promise<number[]> {
  const addresses = Array.from({ length: VIEWERS }, (_, index) => `127.1.${index >> 8}.${index & 0xff || 1}`);
  const queue = [...addresses, ...new Array<string>(12).fill('127.1.0.2')];
  const answers: number[] = [];
  async function work(): Promise<void> {
    for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
      answers.push(await requestKey(url, address));
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}

async function requestKey(url: string, localAddress: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { [BODY_HASH_HEADER]: EMPTY_BODY_SHA256 };
  const outgoing = request(
    new URL(SESSION_PATH, url),
    { method: 'POST', headers, localAddress, agent: false },
    (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    },
  );
  outgoing.once('error', reject).end();
  return await promise;
}

describe('abuse from hundreds of addresses', () => {
  it('is stopped by the limit for everybody: the budget is issued, and then no more keys', () => {
    const granted = statuses.filter((status) => status === 200);
    expect(granted).toHaveLength(BUDGET);
    expect(statuses.filter((status) => status === 429)).toHaveLength(VIEWERS + 12 - BUDGET);
  });

  it('shows in the status: the used budget, the reason for the refusals, and the busiest viewer', async () => {
    const { out } = await issuer(['status', '--json', ...local(stack)]);
    const { budget, activity }: StatusReport = JSON.parse(out);

    expect(budget).toMatchObject([{ limit: BUDGET, remaining: 0 }]);
    expect(activity).toMatchObject({
      requests: VIEWERS + 12,
      keys: BUDGET,
      refusals: { budget_exhausted: VIEWERS + 12 - BUDGET },
      failures: {},
    });
    expect(typeof activity === 'string' ? undefined : activity.busiest[0]).toMatchObject({ requests: 13 });
  });

  it('shows in the status for people too', async () => {
    const { out } = await issuer(['status', ...local(stack)]);
    expect(out).toContain(`${BUDGET} of ${BUDGET} keys used today; resets in `);
    expect(out).toContain(' (used up)');
    expect(out).toContain(`budget_exhausted ${VIEWERS + 12 - BUDGET}`);
  });

  it('can be reconstructed from the log alone: when, how many keys, from how many addresses, and what stopped it', async () => {
    lines = (await readFile(stack.addresses.log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const issued = lines.filter(({ code }) => code === 'issued');
    const refused = lines.filter(({ code }) => code === 'budget_exhausted');

    expect(issued).toHaveLength(BUDGET);
    expect(new Set(lines.map(({ viewer }) => viewer)).size).toBeGreaterThanOrEqual(VIEWERS - 3);
    expect(
      refused.every(({ scope, limit, window_s }) => scope === 'global' && limit === BUDGET && window_s === 86_400),
    ).toBe(true);
    expect(JSON.stringify(lines)).not.toContain('127.1.');
  });

  it('counts in the metrics: each line holds the metric of its code', () => {
    const sum = (metric: string) => lines.reduce((total, line) => total + Number(line[metric] ?? 0), 0);
    expect({ keys: sum('KeysIssued'), refusals: sum('BudgetExhausted') }).toEqual({
      keys: BUDGET,
      refusals: VIEWERS + 12 - BUDGET,
    });
  });
});
