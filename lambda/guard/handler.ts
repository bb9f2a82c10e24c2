/**
 * Handler of the function that alarms invoke, in a bundle of its own. It reads the environment and logs one line; guard.ts makes
 * the decision. Errors are thrown: Lambda then retries the event twice, and the alarm guard-errors notifies a person.
 */
import { env, stdout } from 'node:process';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { GuardVariable } from '../../contract/guard.ts';
import { type Guard, type Outcome, obeyAlarm } from './guard.ts';

/** No caller waits for the result, so the SDK's default timeouts and retries are kept. */
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
    throw new Error(`${name} is not set. lib/monitoring/guardrails.ts sets it: deploy the stack again.`);
  }
  return value;
}
