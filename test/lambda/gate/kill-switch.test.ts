import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { pause, readSwitch, resume, type Switch } from '../../../lambda/gate/kill-switch.ts';
import { StoreMisconfiguredError, StoreUnavailableError } from '../../../limiter/index.ts';
import { type AwsAnswer, awsError, scriptedAws } from '../../support/scripted-aws.ts';

function tableAnswering(...script: [AwsAnswer, ...AwsAnswer[]]) {
  const { config, requests } = scriptedAws(...script);
  return { table: { client: new DynamoDBClient(config), name: 'issuer' }, requests };
}

/** A response of DynamoDB to a request with ReturnConsumedCapacity. */
function answering(body: object): AwsAnswer {
  return { status: 200, body: { ...body, ConsumedCapacity: { TableName: 'issuer', CapacityUnits: 1 } } };
}

/** The switch if the table contains this item. */
async function switchFrom(item: unknown): Promise<Switch> {
  return await readSwitch(tableAnswering(answering(item === undefined ? {} : { Item: item })).table);
}

const PAUSED_SILENTLY = { paused: true, since: undefined, by: undefined, message: { ja: undefined, en: undefined } };

it('is one item, read consistently', async () => {
  const { table, requests } = tableAnswering(answering({}));
  await readSwitch(table);
  expect(requests).toEqual([
    { TableName: 'issuer', Key: { pk: { S: 'switch' } }, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' },
  ]);
});

describe('not paused', () => {
  it.each([
    ['without an item', undefined],
    ['with an item with paused: false', { pk: { S: 'switch' }, paused: { BOOL: false } }],
    [
      'whatever other attributes the item has',
      { pk: { S: 'switch' }, paused: { BOOL: false }, message_en: { S: 'Closed.' } },
    ],
  ])('%s', async (_, item) => {
    expect(await switchFrom(item)).toEqual({ paused: false });
  });
});

describe('paused', () => {
  it('with an item that contains time, author and messages', async () => {
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
    ['has no attribute paused', undefined],
    ['has the text "false"', { S: 'false' }],
    ['has an empty text', { S: '' }],
    ['has a number', { N: '0' }],
    ['has NULL', { NULL: true }],
    ['has false inside a list', { L: [{ BOOL: false }] }],
    ['has false inside a map', { M: { BOOL: { BOOL: false } } }],
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

describe('when the switch cannot be read', () => {
  it.each([
    ['unavailable', awsError(500, 'InternalServerError'), StoreUnavailableError],
    ['unavailable', awsError(400, 'ProvisionedThroughputExceededException'), StoreUnavailableError],
    ['unavailable', { fails: Object.assign(new Error('x'), { name: 'TimeoutError' }) }, StoreUnavailableError],
    ['unavailable', { status: 200, body: {} }, StoreUnavailableError],
    ['unavailable', { status: 200, body: { __type: 'InternalServerError' } }, StoreUnavailableError],
    ['misconfigured', awsError(400, 'ResourceNotFoundException'), StoreMisconfiguredError],
    ['misconfigured', awsError(400, 'AccessDeniedException'), StoreMisconfiguredError],
  ])('the table is %s: %j', async (_, answer, error) => {
    await expect(readSwitch(tableAnswering(answer).table)).rejects.toThrow(error);
    await expect(
      pause(tableAnswering(answer).table, { since: 1, by: 'ann', message: { ja: undefined, en: undefined } }),
    ).rejects.toThrow(error);
    await expect(resume(tableAnswering(answer).table, {}, 1)).rejects.toThrow(error);
  });
});
