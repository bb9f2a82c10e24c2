/**
 * The function that alarms invoke, a bundle of its own. It reads its environment, logs one line and decides nothing;
 * guard.ts does. What fails is thrown: Lambda then repeats the event twice, and the alarm guard-errors tells a person.
 */
import { env, stdout } from 'node:process';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { GuardVariable } from '../../contract/guard.ts';
import { type Guard, type Outcome, obeyAlarm } from './guard.ts';

/** Nobody waits for the answer, so the SDK may take its own time and attempts. */
const client = new DynamoDBClient({});

export async function handler(event: unknown): Promise<Outcome> {
  const now = Date.now();
  const outcome = await obeyAlarm(event, guard(), now);
  stdout.write(`${JSON.stringify({ time: new Date(now).toISOString(), event: 'alarm', ...outcome })}\n`);
  return outcome;
}

function guard(): Guard {
  return {
    table: { client, name: variable('TABLE_NAME') },
    pausingAlarms: variable('PAUSING_ALARMS').split(','),
  };
}

function variable(name: GuardVariable): string {
  const value = env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set: the function was not deployed by lib/monitoring/guardrails.ts.`);
  }
  return value;
}
