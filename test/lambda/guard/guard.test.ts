import { execFile } from 'node:child_process';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readSwitch, resume, type Switch } from '../../../lambda/gate/kill-switch.ts';
import { obeyAlarm } from '../../../lambda/guard/guard.ts';
import { read } from '../../../limiter/index.ts';
import { LOCAL_CREDENTIALS } from '../../../local/aws/identity.ts';
import { GUARD_BUNDLE } from '../../../scripts/build-function.ts';
import {
  ALARM_NAME,
  COMPOSITE_ALARM_EVENT,
  eventOfAlarm,
  STATE_CHANGE_BY_EVENTBRIDGE,
  WENT_OFF_AT,
} from '../../support/alarms.ts';
import { writeSwitch } from '../../support/switch.ts';
import { dynamodb, freshTable } from '../../support/table.ts';

const NOW = Date.UTC(2026, 10, 30, 3, 0, 0);
const BY_ALARM: Switch = {
  paused: true,
  since: NOW / 1_000,
  by: `alarm ${ALARM_NAME}`,
  message: { ja: undefined, en: undefined },
};
const BY_OPERATOR: Switch = {
  paused: true,
  since: NOW / 1_000 - 3_600,
  by: 'kim',
  message: { ja: '正午に再開します。', en: 'Back at noon.' },
};

async function guarded() {
  const table = await freshTable();
  return { table, pausingAlarms: [ALARM_NAME] };
}

describe('an alarm that goes off', () => {
  it('pauses the issuer, and stores the alarm and the time', async () => {
    const guard = await guarded();
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toEqual({ outcome: 'paused', alarm: ALARM_NAME });
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('pauses the issuer again after a resume', async () => {
    const guard = await guarded();
    await writeSwitch(guard.table, { paused: false });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toMatchObject({ outcome: 'paused' });
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('needs one write and no read', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    expect(guard.table.takeRequests()).toEqual(['UpdateItem']);
  });

  it('may be delivered repeatedly: the first time is kept', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    for (const later of [1_000, 60_000, 3_600_000]) {
      expect(await obeyAlarm(eventOfAlarm(), guard, NOW + later)).toEqual({ outcome: 'was_paused', alarm: ALARM_NAME });
    }
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('may be delivered concurrently: one delivery pauses', async () => {
    const guard = await guarded();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => obeyAlarm(eventOfAlarm(), guard, NOW)));
    expect(outcomes.filter(({ outcome }) => outcome === 'paused')).toHaveLength(1);
  });

  it("does not change a person's pause, neither message nor time", async () => {
    const guard = await guarded();
    await writeSwitch(guard.table, BY_OPERATOR);
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toEqual({ outcome: 'was_paused', alarm: ALARM_NAME });
    expect(await readSwitch(guard.table)).toEqual(BY_OPERATOR);
  });

  it('does not change an item that counts as paused', async () => {
    const guard = await guarded();
    const item = { pk: { S: 'switch' }, message_en: { S: 'Written by hand, without "paused".' } };
    await guard.table.put(item);
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toMatchObject({ outcome: 'was_paused' });
    expect(await guard.table.items()).toEqual([item]);
  });
});

describe('an event that is delivered after a resume', () => {
  const WENT_OFF = Math.floor(WENT_OFF_AT / 1_000);

  /** Paused by an operator, then by the event `first` if there is one, and resumed at a time by DynamoDB's clock. */
  async function resumed({ at, first = eventOfAlarm() }: { at: number | undefined; first?: object | undefined }) {
    const guard = await guarded();
    await writeSwitch(guard.table, BY_OPERATOR);
    if (first !== undefined) {
      await writeSwitch(guard.table, { paused: false });
      await obeyAlarm(first, guard, NOW);
    }
    await resume(guard.table, await read(guard.table, 'switch'), at);
    guard.table.takeRequests();
    return guard;
  }

  it('a second time changes nothing, and the reason is reported', async () => {
    const guard = await resumed({ at: WENT_OFF + 600 });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW + 3_600_000)).toEqual({
      outcome: 'ignored',
      why: `the alarm ${ALARM_NAME} went off at 2026-11-30T02:59:41.490Z, before the resume at 2026-11-30T03:09:41.000Z`,
    });
    expect(guard.table.takeRequests()).toEqual(['UpdateItem']);
    expect(await readSwitch(guard.table)).toEqual({ paused: false });
  });

  it("for the first time, after an operator's own pause, changes nothing", async () => {
    const guard = await resumed({ at: WENT_OFF + 600, first: undefined });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW + 3_600_000)).toMatchObject({ outcome: 'ignored' });
    expect(await readSwitch(guard.table)).toEqual({ paused: false });
  });

  it.each([
    ['of a state change after the resume', { at: WENT_OFF - 1 }],
    ['of a state change in the same second', { at: WENT_OFF }],
    ['when the time of the resume is not known', { at: undefined }],
  ])('%s pauses', async (_, { at }) => {
    const guard = await resumed({ at });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toMatchObject({ outcome: 'paused' });
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('pauses if the alarm goes off again, until that pause is resumed too', async () => {
    const guard = await resumed({ at: WENT_OFF + 600 });
    const anew = eventOfAlarm({ at: WENT_OFF_AT + 3_600_000 });
    expect(await obeyAlarm(anew, guard, NOW)).toMatchObject({ outcome: 'paused' });
    await resume(guard.table, await read(guard.table, 'switch'), WENT_OFF + 7_200);
    for (const event of [anew, eventOfAlarm()]) {
      expect(await obeyAlarm(event, guard, NOW)).toMatchObject({ outcome: 'ignored' });
    }
  });

  it('pauses if it does not contain a valid time', async () => {
    const guard = await resumed({ at: WENT_OFF + 600 });
    const event = { alarmData: { alarmName: ALARM_NAME, state: { value: 'ALARM', timestamp: 'lately' } } };
    expect(await obeyAlarm(event, guard, NOW + 3_600_000)).toMatchObject({ outcome: 'paused' });
  });

  it('concurrently with the resume does not pause, in whatever order they are applied', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    const seen = await read(guard.table, 'switch');
    const deliveries = Array.from({ length: 10 }, () => obeyAlarm(eventOfAlarm(), guard, NOW));
    await Promise.all([...deliveries, resume(guard.table, seen, WENT_OFF + 600)]);
    expect(await readSwitch(guard.table)).toEqual({ paused: false });
  });
});

describe('nothing is changed by', () => {
  it.each([
    ['an alarm that has ended', eventOfAlarm({ state: 'OK' }), `the alarm ${ALARM_NAME} is in state OK`],
    [
      'an alarm without data',
      eventOfAlarm({ state: 'INSUFFICIENT_DATA' }),
      `the alarm ${ALARM_NAME} is in state INSUFFICIENT_DATA`,
    ],
    ['another alarm', eventOfAlarm({ name: 'CPU' }), 'the alarm CPU is not configured to pause the issuer'],
    [
      'an alarm whose name has the same prefix',
      eventOfAlarm({ name: `${ALARM_NAME}2` }),
      `the alarm ${ALARM_NAME}2 is not configured to pause the issuer`,
    ],
    [
      'another composite alarm',
      COMPOSITE_ALARM_EVENT,
      'the alarm CompositeDemo.Main is not configured to pause the issuer',
    ],
    ['the EventBridge event of the alarm', STATE_CHANGE_BY_EVENTBRIDGE, 'the event is not an alarm event'],
    ['an absent event', undefined, 'the event is not an alarm event'],
    [
      'a name of an invalid type',
      { alarmData: { alarmName: [ALARM_NAME], state: { value: 'ALARM' } } },
      'the event is not an alarm event',
    ],
  ])('%s', async (_, event, why) => {
    const guard = await guarded();
    expect(await obeyAlarm(event, guard, NOW)).toEqual({ outcome: 'ignored', why });
    expect(guard.table.takeRequests()).toEqual([]);
  });

  it('the end of the alarm that paused: only a person resumes', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    await obeyAlarm(eventOfAlarm({ state: 'OK' }), guard, NOW + 3_600_000);
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });
});

it('a missing table is an error, so that Lambda retries and an alarm notifies a person', async () => {
  const { table, pausingAlarms } = await guarded();
  const guard = { table: { client: table.client, name: 'nowhere' }, pausingAlarms };
  await expect(obeyAlarm(eventOfAlarm(), guard, NOW)).rejects.toThrow('There is no table nowhere');
});

describe('the bundle that is deployed', () => {
  const PROGRAM = `
    const { handler } = await import(${JSON.stringify(GUARD_BUNDLE)});
    await handler(${JSON.stringify(eventOfAlarm())});`;

  /** Runs the bundle as Lambda would: in its own process, with only this environment. */
  function run(environment: Readonly<Record<string, string>>) {
    const aws = {
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    };
    return promisify(execFile)(execPath, ['--input-type=module', '--eval', PROGRAM], {
      env: { ...aws, ...environment },
    });
  }

  it('pauses, and logs one line', async () => {
    const table = await freshTable();
    const { stdout } = await run({ TABLE_NAME: table.name, PAUSING_ALARMS: `another,${ALARM_NAME}` });
    expect(JSON.parse(stdout)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      event: 'alarm',
      outcome: 'paused',
      alarm: ALARM_NAME,
    });
    expect(await readSwitch(table)).toMatchObject({ paused: true, by: `alarm ${ALARM_NAME}` });
  });

  it('fails if PAUSING_ALARMS is not set, so that an alarm notifies a person', async () => {
    const table = await freshTable();
    await expect(run({ TABLE_NAME: table.name })).rejects.toThrow('PAUSING_ALARMS is not set');
    expect(await readSwitch(table)).toEqual({ paused: false });
  });
});
