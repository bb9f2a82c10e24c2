import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { pause, readSwitch, resume, type Switch } from '../../../lambda/gate/kill-switch.ts';
import { StoreMisconfiguredError, StoreUnavailableError } from '../../../limiter/index.ts';
import { type AwsAnswer, awsError, scriptedAws } from '../../support/scripted-aws.ts';

function tableAnswering(...script: [AwsAnswer, ...AwsAnswer[]]) {
  const { config, requests } = scriptedAws(...script);
  return { table: { client: new DynamoDBClient(config), name: 'issuer' }, requests };
}

/** As DynamoDB answers where it is asked what that cost. */
function answering(body: object): AwsAnswer {
  return { status: 200, body: { ...body, ConsumedCapacity: { TableName: 'issuer', CapacityUnits: 1 } } };
}

/** The switch as it reads if the table holds this item. */
async function switchFrom(item: unknown): Promise<Switch> {
  return await readSwitch(tableAnswering(answering(item === undefined ? {} : { Item: item })).table);
}

const PAUSED_SILENTLY = { paused: true, since: undefined, by: undefined, message: { ja: undefined, en: undefined } };

it('is read consistently, from one item', async () => {
  const { table, requests } = tableAnswering(answering({}));
  await readSwitch(table);
  expect(requests).toEqual([
    { TableName: 'issuer', Key: { pk: { S: 'switch' } }, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' },
  ]);
});

describe('not paused', () => {
  it.each([
    ['without an item', undefined],
    ['with an item that says so', { pk: { S: 'switch' }, paused: { BOOL: false } }],
    ['whatever else that item holds', { pk: { S: 'switch' }, paused: { BOOL: false }, message_en: { S: 'Closed.' } }],
  ])('%s', async (_, item) => {
    expect(await switchFrom(item)).toEqual({ paused: false });
  });
});

describe('paused', () => {
  it('with an item that says so, since when, by whom and why', async () => {
    const item = {
      pk: { S: 'switch' },
      paused: { BOOL: true },
      since: { N: '1764460800' },
      by: { S: 'arn:aws:iam::111122223333:user/operator' },
      message_ja: { S: '休止中です。' },
      message_en: { S: 'Closed today.' },
    };
    expect(await switchFrom(item)).toEqual({
      paused: true,
      since: 1_764_460_800,
      by: 'arn:aws:iam::111122223333:user/operator',
      message: { ja: '休止中です。', en: 'Closed today.' },
    });
  });

  it.each<[string, unknown]>([
    ['says nothing', undefined],
    ['says it as text', { S: 'false' }],
    ['says it as an empty text', { S: '' }],
    ['says it as a number', { N: '0' }],
    ['says NULL', { NULL: true }],
    ['says it inside a list', { L: [{ BOOL: false }] }],
    ['says it inside a map', { M: { BOOL: { BOOL: false } } }],
  ])('with an item that %s', async (_, paused) => {
    expect(await switchFrom({ pk: { S: 'switch' }, paused })).toEqual(PAUSED_SILENTLY);
  });

  it('with an item whose other attributes are of the wrong type', async () => {
    const item = {
      pk: { S: 'switch' },
      paused: { BOOL: true },
      since: { S: '2026-11-30' },
      by: { N: '7' },
      message_ja: { BOOL: true },
      message_en: { L: [] },
    };
    expect(await switchFrom(item)).toEqual(PAUSED_SILENTLY);
  });
});

describe('unreadable', () => {
  it.each([
    ['is unavailable', awsError(500, 'InternalServerError'), StoreUnavailableError],
    ['is unavailable', awsError(400, 'ProvisionedThroughputExceededException'), StoreUnavailableError],
    ['is unavailable', { fails: Object.assign(new Error('x'), { name: 'TimeoutError' }) }, StoreUnavailableError],
    ['is unavailable', { status: 200, body: {} }, StoreUnavailableError],
    ['is unavailable', { status: 200, body: { __type: 'InternalServerError' } }, StoreUnavailableError],
    ['is misconfigured', awsError(400, 'ResourceNotFoundException'), StoreMisconfiguredError],
    ['is misconfigured', awsError(400, 'AccessDeniedException'), StoreMisconfiguredError],
  ])('it %s: %j', async (_, answer, error) => {
    await expect(readSwitch(tableAnswering(answer).table)).rejects.toThrow(error);
    await expect(
      pause(tableAnswering(answer).table, { since: 1, by: 'ann', message: { ja: undefined, en: undefined } }),
    ).rejects.toThrow(error);
    await expect(resume(tableAnswering(answer).table, {}, 1)).rejects.toThrow(error);
  });
});
