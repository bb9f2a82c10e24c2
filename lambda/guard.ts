/**
 * What an alarm does to the issuer: a known alarm that goes off pauses it, and nothing here ever resumes it. An alarm that
 * ends says only that fewer keys leave, which a pause brings about by itself; whether the reason is gone, a person decides.
 */
import type { Table } from '../limiter/index.ts';
import { pause } from './kill-switch.ts';

export interface Guard {
  readonly table: Table;
  /** Names of the alarms that pause the issuer. */
  readonly pausingAlarms: readonly string[];
}

export type Outcome =
  | { readonly outcome: 'paused'; readonly alarm: string }
  /** By a person, or by an earlier delivery of the same event: nothing was changed. */
  | { readonly outcome: 'was_paused'; readonly alarm: string }
  | { readonly outcome: 'ignored'; readonly why: string };

/**
 * @param event what CloudWatch invokes a function with: Amazon CloudWatch User Guide, "Invoke a Lambda function from an alarm"
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError: then the issuer may be on, and Lambda tries again
 */
export async function obeyAlarm(event: unknown, { table, pausingAlarms }: Guard, now: number): Promise<Outcome> {
  const { alarm, state } = alarmIn(event);
  if (alarm === undefined) {
    return { outcome: 'ignored', why: 'the event is not one of an alarm' };
  }
  if (!pausingAlarms.includes(alarm)) {
    return { outcome: 'ignored', why: `the alarm ${alarm} pauses nothing` };
  }
  if (state !== 'ALARM') {
    return { outcome: 'ignored', why: `the alarm ${alarm} is ${state}` };
  }
  const { ours } = await pause(table, {
    since: Math.floor(now / 1_000),
    by: `alarm ${alarm}`,
    message: { ja: undefined, en: undefined },
  });
  return { outcome: ours ? 'paused' : 'was_paused', alarm };
}

function alarmIn(event: unknown): { readonly alarm: string | undefined; readonly state: string } {
  const { alarmName, state } = Object(Object(event).alarmData);
  return { alarm: typeof alarmName === 'string' ? alarmName : undefined, state: String(Object(state).value) };
}
