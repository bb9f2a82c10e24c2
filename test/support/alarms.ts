/**
 * Alarm events in the formats of the Amazon CloudWatch User Guide: "Invoke a Lambda function from an alarm" for a function that is
 * an alarm's action, and "Alarm events and EventBridge" for a function that an EventBridge rule invokes.
 */

export const ALARM_NAME = 'EphemeralKeyIssuer-Issuer-keys-per-hour';

/** The time in the events below, in epoch milliseconds. */
export const WENT_OFF_AT = Date.UTC(2026, 10, 30, 2, 59, 41, 490);

interface EventParts {
  readonly name?: string;
  readonly state?: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA';
  /** Epoch milliseconds at which the state changed. */
  readonly at?: number;
}

/** The event that a metric alarm sends to a function that is its action. */
export function eventOfAlarm({ name = ALARM_NAME, state = 'ALARM', at = WENT_OFF_AT }: EventParts = {}) {
  const timestamp = new Date(at).toISOString().replace('Z', '+0000');
  return {
    source: 'aws.cloudwatch',
    alarmArn: `arn:aws:cloudwatch:eu-central-1:444455556666:alarm:${name}`,
    accountId: '444455556666',
    time: timestamp,
    region: 'eu-central-1',
    alarmData: {
      alarmName: name,
      state: {
        value: state,
        reason:
          'Threshold Crossed: 1 datapoint [117.0 (30/11/26 01:59:00)] was greater than or equal to the threshold (100.0).',
        reasonData: JSON.stringify({
          version: '1.0',
          queryDate: '2026-11-30T02:59:41.482+0000',
          startDate: '2026-11-30T01:59:00.000+0000',
          statistic: 'Sum',
          period: 3600,
          recentDatapoints: [117],
          threshold: 100,
          evaluatedDatapoints: [{ timestamp: '2026-11-30T01:59:00.000+0000', sampleCount: 117, value: 117 }],
        }),
        timestamp,
      },
      previousState: {
        value: state === 'ALARM' ? 'OK' : 'ALARM',
        reason: 'Threshold Crossed: no datapoints were received for 1 period and 1 missing datapoint was treated.',
        timestamp: '2026-11-29T21:14:41.595+0000',
      },
      configuration: {
        description: 'Keys are issued far faster than usual.',
        metrics: [
          {
            id: '5b6f1e0e-06f0-a3da-9534-000000000000',
            metricStat: {
              metric: {
                namespace: 'EphemeralKeyIssuer',
                name: 'KeysIssued',
                dimensions: { function: 'EphemeralKeyIssuer-IssuerFunction' },
              },
              period: 3600,
              stat: 'Sum',
            },
            returnData: true,
          },
        ],
      },
    },
  };
}

/** A composite alarm: it has no metrics, but a rule over other alarms, and optionally a suppressor. */
export const COMPOSITE_ALARM_EVENT = {
  source: 'aws.cloudwatch',
  alarmArn: 'arn:aws:cloudwatch:eu-central-1:444455556666:alarm:CompositeDemo.Main',
  accountId: '444455556666',
  time: '2026-11-30T02:59:46.138+0000',
  region: 'eu-central-1',
  alarmData: {
    alarmName: 'CompositeDemo.Main',
    state: {
      value: 'ALARM',
      reason: `arn:aws:cloudwatch:eu-central-1:444455556666:alarm:${ALARM_NAME} transitioned to ALARM`,
      reasonData: JSON.stringify({ triggeringAlarms: [{ state: { value: 'ALARM' } }] }),
      timestamp: '2026-11-30T02:59:46.138+0000',
    },
    previousState: { value: 'ALARM', actionsSuppressedBy: 'WaitPeriod' },
    configuration: {
      alarmRule: `ALARM("${ALARM_NAME}")`,
      actionsSuppressor: 'Suppressor',
      actionsSuppressorWaitPeriod: 120,
    },
  },
};

/** The same alarm through EventBridge: its data is one level deeper. We have no rule that sends it. */
export const STATE_CHANGE_BY_EVENTBRIDGE = {
  version: '0',
  id: 'c4c1c1c9-6542-e61b-6ef0-000000000000',
  'detail-type': 'CloudWatch Alarm State Change',
  source: 'aws.cloudwatch',
  account: '444455556666',
  time: '2026-11-30T02:59:41Z',
  region: 'eu-central-1',
  resources: [`arn:aws:cloudwatch:eu-central-1:444455556666:alarm:${ALARM_NAME}`],
  detail: { alarmName: ALARM_NAME, state: { value: 'ALARM' }, previousState: { value: 'OK' } },
};
