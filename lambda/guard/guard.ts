/**
 * What an alarm does to the issuer: a known alarm that goes off pauses it, and nothing here ever resumes it. An alarm that
 * ends says only that fewer keys leave, which a pause brings about by itself; whether the reason is gone, a person decides.
 *
 * Events are delivered at least once, and may be hours late. Who has resumed since an alarm went off has decided about it: such
 * an event changes nothing. Both times are AWS's own, CloudWatch's of the alarm and DynamoDB's of the resume, and no laptop's;
 * they are assumed to agree within a few seconds, and only what falls into these may be judged wrongly. An event without a
 * time pauses, and so does any event where no time of a resume is known.
 */
import type { Table } from '../../limiter/index.ts';
import { pause } from '../gate/kill-switch.ts';

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
  const { alarm, state, changedAt } = alarmIn(event);
  if (alarm === undefined) {
    return { outcome: 'ignored', why: 'the event is not one of an alarm' };
  }
  if (!pausingAlarms.includes(alarm)) {
    return { outcome: 'ignored', why: `the alarm ${alarm} pauses nothing` };
  }
  if (state !== 'ALARM') {
    return { outcome: 'ignored', why: `the alarm ${alarm} is ${state}` };
  }
  const { ours, ...stands } = await pause(table, {
    since: inSeconds(now),
    by: `alarm ${alarm}`,
    message: { ja: undefined, en: undefined },
    causedAt: inSeconds(changedAt ?? now),
  });
  if (!(ours || stands.state.paused)) {
    const [wentOff, resumed] = [changedAt ?? now, Number(stands.resumedAt) * 1_000].map((ms) => new Date(ms).toJSON());
    return { outcome: 'ignored', why: `the alarm ${alarm} went off at ${wentOff}, before the resume at ${resumed}` };
  }
  return { outcome: ours ? 'paused' : 'was_paused', alarm };
}

interface AlarmEvent {
  readonly alarm: string | undefined;
  readonly state: string;
  /** Epoch milliseconds, CloudWatch's. Undefined where the event does not say when. */
  readonly changedAt: number | undefined;
}

function alarmIn(event: unknown): AlarmEvent {
  const { alarmName, state } = Object(Object(event).alarmData);
  const { value, timestamp } = Object(state);
  const changedAt = Date.parse(String(timestamp));
  return {
    alarm: typeof alarmName === 'string' ? alarmName : undefined,
    state: String(value),
    changedAt: Number.isNaN(changedAt) ? undefined : changedAt,
  };
}

function inSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1_000);
}
