import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { type Item, parsePolicies } from '../../../limiter/index.ts';
import { isLong, shortOrLong } from '../../support/runs.ts';
import { dynamodb, freshTable, type TestTable } from '../../support/table.ts';
import type { Crowd } from './crowd-process.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const PROCESSES = 3;
const CALLERS = shortOrLong(24, 200);
const SUBJECTS = shortOrLong(4, 20);
/** Concurrent calls per process. More would wait in DynamoDB Local until they time out. */
const AT_ONCE = 5;
const LIMIT = 10;
const POLICIES = [`${LIMIT}/1h`, `sliding ${LIMIT}/1h`, `bucket 20/1h burst ${LIMIT}`];
const TIMEOUT_MS = 600_000;

interface Admissions {
  /** Admissions by line. A line is a policy and a subject. */
  readonly counts: Map<string, number>;
  readonly exits: (number | null)[];
}

/** @param meddle called for each line, with the process that printed it */
async function crowd(table: TestTable, meddle: (process: ChildProcess) => void): Promise<Admissions> {
  const counts = new Map<string, number>();
  const exits = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const order: Crowd = {
        endpoint: dynamodb.endpoint,
        table: table.name,
        policies: POLICIES,
        subjects: SUBJECTS,
        callers: Math.ceil(CALLERS / PROCESSES),
        atOnce: AT_ONCE,
        now: NOON,
      };
      const script = join(import.meta.dirname, 'crowd-process.ts');
      const process = spawn(execPath, [script, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] });
      const exit = once(process, 'exit');
      for await (const line of createInterface({ input: process.stdout })) {
        counts.set(line, (counts.get(line) ?? 0) + 1);
        meddle(process);
      }
      const [code] = await exit;
      return code as number | null;
    }),
  );
  return { counts, exits };
}

function lines(): string[] {
  return POLICIES.flatMap((text) =>
    Array.from({ length: SUBJECTS }, (_, subject) => JSON.stringify({ text, subject: `subject-${subject}` })),
  );
}

/** The number of admissions in an item of the table: the count of a window, the slots, or the tokens of a bucket that was full. */
function taken(item: Item): number {
  const bucket = parsePolicies(POLICIES[2] ?? '')[0];
  if (item['full_at']?.N !== undefined && bucket !== undefined) {
    return (Number(item['full_at'].N) - NOON * 1_000) / ((bucket.windowMs * 1_000) / bucket.limit);
  }
  return Number(item['cnt']?.N ?? Object.keys(item).filter((name) => /^s\d+$/.test(name)).length);
}

const WHO = `${CALLERS} callers x ${SUBJECTS} subjects at once from ${PROCESSES} processes`;
const FULL = isLong ? '' : ' (200 x 20 in npm run test:long)';

describe(`${WHO}${FULL}`, () => {
  it(
    'are admitted exactly as often as each algorithm allows',
    async () => {
      const table = await freshTable();
      const { counts, exits } = await crowd(table, () => undefined);

      expect(exits).toEqual([0, 0, 0]);
      expect(counts).toEqual(new Map(lines().map((line) => [line, LIMIT])));
      expect((await table.items()).map(taken)).toEqual(lines().map(() => LIMIT));
    },
    TIMEOUT_MS,
  );

  it(
    'are never above a limit when a process is killed at a random moment',
    async () => {
      const table = await freshTable();
      const moment = 1 + Math.floor(Math.random() * ((LIMIT * SUBJECTS * POLICIES.length) / 2));
      let seen = 0;
      const { counts, exits } = await crowd(table, (process) => {
        seen += 1;
        if (seen === moment) {
          process.kill('SIGKILL');
        }
      });

      const known = lines().map((line) => counts.get(line) ?? 0);
      expect(exits.filter((code) => code === 0)).toHaveLength(PROCESSES - 1);
      expect(known.every((count) => count <= LIMIT)).toBe(true);
      expect((await table.items()).map(taken)).toEqual(lines().map(() => LIMIT));
      // Calls that the killed process had made and not yet printed. They stay counted.
      const missing = known.reduce((sum, count) => sum + LIMIT - count, 0);
      expect(missing).toBeLessThanOrEqual(2 * AT_ONCE);
    },
    TIMEOUT_MS,
  );
});
