/**
 * Pauses the issuer when a known alarm goes off. Nothing here ever resumes it: when an alarm ends, that only means that fewer keys
 * are issued, which the pause itself causes. A person decides whether the reason is gone.
 *
 * Events are delivered at least once, and may be hours late. If an operator has resumed since the alarm went off, the operator has
 * already dealt with it, so the event changes nothing. Both times come from AWS (CloudWatch for the alarm, DynamoDB for the
 * resume), not from a laptop. They agree within a few seconds, so an alarm and a resume that
 * are only seconds apart may be ordered incorrectly. If the event has no time, or the time of the last resume is unknown, the event
 * pauses the issuer.
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
  /** Already paused by a person or by an earlier delivery of the same event: nothing was changed. */
  | { readonly outcome: 'was_paused'; readonly alarm: string }
  | { readonly outcome: 'ignored'; readonly why: string };

/**
 * @param event the event that CloudWatch sends: Amazon CloudWatch User Guide, "Invoke a Lambda function from an alarm"
 * @param now epoch milliseconds
 * @throws StoreUnavailableError or StoreMisconfiguredError: the issuer may not be paused, and Lambda retries the event
 */
export async function obeyAlarm(event: unknown, { table, pausingAlarms }: Guard, now: number): Promise<Outcome> {
  const { alarm, state, changedAt } = alarmIn(event);
  if (alarm === undefined) {
    return { outcome: 'ignored', why: 'the event is not an alarm event' };
  }
  if (!pausingAlarms.includes(alarm)) {
    return { outcome: 'ignored', why: `the alarm ${alarm} is not configured to pause the issuer` };
  }
  if (state !== 'ALARM') {
    return { outcome: 'ignored', why: `the alarm ${alarm} is in state ${state}` };
  }
  const {
    ours,
    state: current,
    resumedAt,
  } = await pause(table, {
    since: inSeconds(now),
    by: `alarm ${alarm}`,
    message: { ja: undefined, en: undefined },
    causedAt: inSeconds(changedAt ?? now),
  });
  if (!(ours || current.paused)) {
    const [wentOff, resumed] = [changedAt ?? now, Number(resumedAt) * 1_000].map((ms) => new Date(ms).toJSON());
    return { outcome: 'ignored', why: `the alarm ${alarm} went off at ${wentOff}, before the resume at ${resumed}` };
  }
  return { outcome: ours ? 'paused' : 'was_paused', alarm };
}

interface AlarmEvent {
  readonly alarm: string | undefined;
  readonly state: string;
  /** Epoch milliseconds by CloudWatch's clock. Undefined if the event has no valid time. */
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
