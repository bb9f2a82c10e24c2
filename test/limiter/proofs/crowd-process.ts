/**
 * One of several processes that call the limiter concurrently. It makes the calls of a list, a few at a time, and prints a line for
 * each admission.
 *
 *     node crowd-process.ts '{"endpoint": "http://...", "table": "...", "policies": ["10/1h"], ...}'
 */
import { argv, stdout } from 'node:process';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { reserveUnder } from '../../../limiter/algorithms/algorithms.ts';
import { type Policy, parsePolicies } from '../../../limiter/policy/policy.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../../local/aws/identity.ts';

export interface Crowd {
  readonly endpoint: string;
  readonly table: string;
  /** Every caller calls each policy, as a separate limit. */
  readonly policies: readonly string[];
  readonly subjects: number;
  readonly callers: number;
  readonly atOnce: number;
  /** Epoch milliseconds. The clock does not move. */
  readonly now: number;
}

const { endpoint, table, policies, subjects, callers, atOnce, now } = JSON.parse(argv[2] ?? '') as Crowd;
const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS, maxAttempts: 2 });

/** The callers of a subject are adjacent, so that they run at the same time as those of the other processes. */
function* calls(): Generator<{ readonly text: string; readonly policy: Policy; readonly subject: string }> {
  for (const text of policies) {
    for (const policy of parsePolicies(text)) {
      for (let subject = 0; subject < subjects; subject += 1) {
        for (let caller = 0; caller < callers; caller += 1) {
          yield { text, policy, subject: `subject-${subject}` };
        }
      }
    }
  }
}

async function work(list: ReturnType<typeof calls>): Promise<void> {
  for (const { text, policy, subject } of list) {
    const scope = { name: 'crowd', policies: [policy], counts: 'each' } as const;
    const decision = await reserveUnder({ client, name: table }, scope, policy, subject, now);
    if (decision.admitted) {
      stdout.write(`${JSON.stringify({ text, subject })}\n`);
    }
  }
}

const list = calls();
await Promise.all(Array.from({ length: atOnce }, () => work(list)));
