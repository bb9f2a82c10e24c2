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
  it('pauses the issuer, and says which alarm did and when', async () => {
    const guard = await guarded();
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toEqual({ outcome: 'paused', alarm: ALARM_NAME });
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('pauses it again after somebody went on', async () => {
    const guard = await guarded();
    await writeSwitch(guard.table, { paused: false });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toMatchObject({ outcome: 'paused' });
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('takes one write and no read', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    expect(guard.table.takeRequests()).toEqual(['UpdateItem']);
  });

  it('may be delivered again and again: the first time stays', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    for (const later of [1_000, 60_000, 3_600_000]) {
      expect(await obeyAlarm(eventOfAlarm(), guard, NOW + later)).toEqual({ outcome: 'was_paused', alarm: ALARM_NAME });
    }
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('may be delivered many times at once: one of them pauses', async () => {
    const guard = await guarded();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => obeyAlarm(eventOfAlarm(), guard, NOW)));
    expect(outcomes.filter(({ outcome }) => outcome === 'paused')).toHaveLength(1);
  });

  it("leaves a person's pause as it is, words and time", async () => {
    const guard = await guarded();
    await writeSwitch(guard.table, BY_OPERATOR);
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toEqual({ outcome: 'was_paused', alarm: ALARM_NAME });
    expect(await readSwitch(guard.table)).toEqual(BY_OPERATOR);
  });

  it('leaves an item that the function reads as a pause as it is', async () => {
    const guard = await guarded();
    const item = { pk: { S: 'switch' }, message_en: { S: 'Written by hand, without "paused".' } };
    await guard.table.put(item);
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toMatchObject({ outcome: 'was_paused' });
    expect(await guard.table.items()).toEqual([item]);
  });
});

describe('an event that is delivered after a resume', () => {
  const WENT_OFF = Math.floor(WENT_OFF_AT / 1_000);

  /** Paused by `event` or a person, and resumed by one at a time of the table's clock. */
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

  it('again, though it was obeyed before, changes nothing and says why', async () => {
    const guard = await resumed({ at: WENT_OFF + 600 });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW + 3_600_000)).toEqual({
      outcome: 'ignored',
      why: `the alarm ${ALARM_NAME} went off at 2026-11-30T02:59:41.490Z, before the resume at 2026-11-30T03:09:41.000Z`,
    });
    expect(guard.table.takeRequests()).toEqual(['UpdateItem']);
    expect(await readSwitch(guard.table)).toEqual({ paused: false });
  });

  it("for the first time, late, after a person's own pause, changes nothing", async () => {
    const guard = await resumed({ at: WENT_OFF + 600, first: undefined });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW + 3_600_000)).toMatchObject({ outcome: 'ignored' });
    expect(await readSwitch(guard.table)).toEqual({ paused: false });
  });

  it.each([
    ['of a state change after it', { at: WENT_OFF - 1 }],
    ['of a state change within the same second', { at: WENT_OFF }],
    ['where nobody knows when that was', { at: undefined }],
  ])('%s pauses', async (_, { at }) => {
    const guard = await resumed({ at });
    expect(await obeyAlarm(eventOfAlarm(), guard, NOW)).toMatchObject({ outcome: 'paused' });
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });

  it('pauses once more when the alarm goes off anew, and never again once that was resumed', async () => {
    const guard = await resumed({ at: WENT_OFF + 600 });
    const anew = eventOfAlarm({ at: WENT_OFF_AT + 3_600_000 });
    expect(await obeyAlarm(anew, guard, NOW)).toMatchObject({ outcome: 'paused' });
    await resume(guard.table, await read(guard.table, 'switch'), WENT_OFF + 7_200);
    for (const event of [anew, eventOfAlarm()]) {
      expect(await obeyAlarm(event, guard, NOW)).toMatchObject({ outcome: 'ignored' });
    }
  });

  it('pauses where it does not say when the alarm went off', async () => {
    const guard = await resumed({ at: WENT_OFF + 600 });
    const event = { alarmData: { alarmName: ALARM_NAME, state: { value: 'ALARM', timestamp: 'lately' } } };
    expect(await obeyAlarm(event, guard, NOW + 3_600_000)).toMatchObject({ outcome: 'paused' });
  });

  it('in the very moment of the resume leaves it on, whoever comes first', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    const seen = await read(guard.table, 'switch');
    const deliveries = Array.from({ length: 10 }, () => obeyAlarm(eventOfAlarm(), guard, NOW));
    await Promise.all([...deliveries, resume(guard.table, seen, WENT_OFF + 600)]);
    expect(await readSwitch(guard.table)).toEqual({ paused: false });
  });
});

describe('nothing is changed', () => {
  it.each([
    ['by an alarm that is over', eventOfAlarm({ state: 'OK' }), `the alarm ${ALARM_NAME} is OK`],
    [
      'by an alarm without data',
      eventOfAlarm({ state: 'INSUFFICIENT_DATA' }),
      `the alarm ${ALARM_NAME} is INSUFFICIENT_DATA`,
    ],
    ["by somebody else's alarm", eventOfAlarm({ name: 'CPU' }), 'the alarm CPU pauses nothing'],
    [
      'by an alarm whose name begins alike',
      eventOfAlarm({ name: `${ALARM_NAME}2` }),
      `the alarm ${ALARM_NAME}2 pauses nothing`,
    ],
    ["by somebody else's composite alarm", COMPOSITE_ALARM_EVENT, 'the alarm CompositeDemo.Main pauses nothing'],
    ['by the event that EventBridge has for it', STATE_CHANGE_BY_EVENTBRIDGE, 'the event is not one of an alarm'],
    ['by nothing', undefined, 'the event is not one of an alarm'],
    [
      'by a name that is none',
      { alarmData: { alarmName: [ALARM_NAME], state: { value: 'ALARM' } } },
      'the event is not one of an alarm',
    ],
  ])('%s', async (_, event, why) => {
    const guard = await guarded();
    expect(await obeyAlarm(event, guard, NOW)).toEqual({ outcome: 'ignored', why });
    expect(guard.table.takeRequests()).toEqual([]);
  });

  it('by the end of the alarm that paused: only a person goes on', async () => {
    const guard = await guarded();
    await obeyAlarm(eventOfAlarm(), guard, NOW);
    await obeyAlarm(eventOfAlarm({ state: 'OK' }), guard, NOW + 3_600_000);
    expect(await readSwitch(guard.table)).toEqual(BY_ALARM);
  });
});

it('a table that is not there is an error, so that Lambda tries again and an alarm tells of it', async () => {
  const { table, pausingAlarms } = await guarded();
  const guard = { table: { client: table.client, name: 'nowhere' }, pausingAlarms };
  await expect(obeyAlarm(eventOfAlarm(), guard, NOW)).rejects.toThrow('There is no table nowhere');
});

describe('the bundle that is deployed', () => {
  const PROGRAM = `
    const { handler } = await import(${JSON.stringify(GUARD_BUNDLE)});
    await handler(${JSON.stringify(eventOfAlarm())});`;

  /** As Lambda would run it: a process of its own, with this environment and no other. */
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

  it('pauses, and logs one line that says so', async () => {
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

  it('fails where it was not told which alarms to obey, so that somebody hears of it', async () => {
    const table = await freshTable();
    await expect(run({ TABLE_NAME: table.name })).rejects.toThrow('PAUSING_ALARMS is not set');
    expect(await readSwitch(table)).toEqual({ paused: false });
  });
});
