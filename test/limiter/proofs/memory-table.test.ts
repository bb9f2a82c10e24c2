import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { amend, pause, resume, SWITCH_KEY } from '../../../lambda/gate/kill-switch.ts';
import { reserveUnder } from '../../../limiter/algorithms/algorithms.ts';
import { type Item, parsePolicies, read, type Table } from '../../../limiter/index.ts';
import type { Reservation } from '../../../limiter/policy/decision.ts';
import { memoryTable } from '../../support/memory-table.ts';
import { seededRandom } from '../../support/random.ts';
import { freshTable, isDynamoDbLocal } from '../../support/table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const CALLS = 200;
/** Two policies of each algorithm that share an item, so that its limit is lowered and raised. */
const POLICIES = [
  '3/10s',
  '5/10s',
  'sliding 3/10s',
  'sliding 6/10s',
  'bucket 5/10s burst 3',
  'bucket 2/10s burst 2',
].flatMap(parsePolicies);

/** The item of a result, or of a refused write, with sets in a fixed order. */
function comparable(result: unknown): unknown {
  const isRefusal = result instanceof ConditionalCheckFailedException;
  const { Attributes, Item } = result as { Attributes?: Item; Item?: Item };
  const sorted = Object.entries(Attributes ?? Item ?? {}).map(([name, value]) => [name, value.SS?.toSorted() ?? value]);
  return { isRefusal, item: Object.fromEntries(sorted) };
}

/** Sends every command to both tables, and expects the same result. */
function tableOfBoth(real: Table, memory: Table): Table {
  async function send(command: Parameters<DynamoDBClient['send']>[0]): Promise<unknown> {
    const expected = await real.client.send(command).catch((error: unknown) => error);
    const found = await memory.client.send(command).catch((error: unknown) => error);
    expect(comparable(found)).toEqual(comparable(expected));
    if (expected instanceof Error) {
      throw expected;
    }
    return expected;
  }
  return { name: real.name, client: { send } as unknown as DynamoDBClient };
}

describe.runIf(isDynamoDbLocal)('the table in memory', () => {
  it.each(['each', 'all'] as const)(
    `responds to ${CALLS} random calls in a scope that counts %s as DynamoDB Local does`,
    async (counts) => {
      const random = seededRandom(7);
      const choose = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)];
      const memory = memoryTable();
      const table = tableOfBoth(await freshTable(), memory);
      const reservations: Reservation[] = [];
      let refusals = 0;
      let clock = NOON;

      for (let call = 1; call <= CALLS; call += 1) {
        clock += Math.round((random() - 0.2) * 2_000);
        const policy = choose(POLICIES);
        if (random() < 0.3) {
          await choose(reservations)?.release(clock);
        } else if (policy !== undefined) {
          const scope = { name: 'client', policies: [policy], counts };
          const decision = await reserveUnder(table, scope, policy, 'anna', clock);
          refusals += Number(!decision.admitted);
          reservations.push(...(decision.admitted ? [decision] : []));
        }
      }
      // Enough of both to have met every expression.
      expect(reservations.length).toBeGreaterThan(40);
      expect(refusals).toBeGreaterThan(20);
    },
  );

  it(`responds to ${CALLS} random changes of the kill switch as DynamoDB Local does`, async () => {
    const random = seededRandom(11);
    const table = tableOfBoth(await freshTable(), memoryTable());
    const message = () => ({ ja: undefined, en: random() < 0.5 ? 'Closed.' : undefined });
    const moment = () => Math.floor(random() * 100);
    let seen: Item = {};
    const outcomes = { pause: 0, refused: 0, resume: 0, stays: 0 };
    const changes = [
      async () => {
        const causedAt = random() < 0.5 ? {} : { causedAt: moment() };
        const { ours } = await pause(table, { since: 1, by: 'ann', message: message(), ...causedAt });
        outcomes[ours ? 'pause' : 'refused'] += 1;
      },
      async () => {
        seen = await read(table, SWITCH_KEY);
      },
      async () => {
        const { paused } = await resume(table, seen, random() < 0.2 ? undefined : moment());
        outcomes[paused ? 'stays' : 'resume'] += 1;
      },
      () => amend(table, { hard: { previousCap: random() < 0.5 ? 5 : undefined } }),
      () => amend(table, { message: { ja: '休止中です。', en: undefined } }),
    ];
    for (let call = 1; call <= CALLS; call += 1) {
      await changes[Math.floor(random() * changes.length)]?.();
    }
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(5);
  });
});
