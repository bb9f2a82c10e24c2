import { describe, expect, it } from 'vitest';
import { errorFrom, propertiesOf, templateOf } from './synth.ts';

const TABLE = 'AWS::DynamoDB::Table';

describe('the table', () => {
  it('has the key and the TTL attribute that contract/ names', () => {
    expect(propertiesOf(templateOf(), TABLE)).toMatchObject({
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    });
  });

  it('is charged per request by default, with at most 50 read and 50 write units a second', () => {
    const table = propertiesOf(templateOf(), TABLE);
    expect(table.BillingMode).toBe('PAY_PER_REQUEST');
    expect(table.OnDemandThroughput).toEqual({ MaxReadRequestUnits: 50, MaxWriteRequestUnits: 50 });
  });

  it('accepts other maximums', () => {
    const table = propertiesOf(
      templateOf({ tableCapacity: { onDemand: { maxReadUnits: 10, maxWriteUnits: 20 } } }),
      TABLE,
    );
    expect(table.OnDemandThroughput).toEqual({ MaxReadRequestUnits: 10, MaxWriteRequestUnits: 20 });
  });

  it('can be provisioned', () => {
    const table = propertiesOf(
      templateOf({ tableCapacity: { provisioned: { readUnits: 25, writeUnits: 24 } } }),
      TABLE,
    );
    expect(table.ProvisionedThroughput).toEqual({ ReadCapacityUnits: 25, WriteCapacityUnits: 24 });
    expect(table.BillingMode).not.toBe('PAY_PER_REQUEST');
  });

  it('has a name of its own only if one is set', () => {
    expect(propertiesOf(templateOf(), TABLE).TableName).toBeUndefined();
    expect(propertiesOf(templateOf({ tableName: 'keys' }), TABLE).TableName).toBe('keys');
  });

  it('is deleted with the stack', () => {
    templateOf().hasResource(TABLE, { DeletionPolicy: 'Delete' });
  });

  it.each([
    { onDemand: { maxReadUnits: 0, maxWriteUnits: 50 } },
    { onDemand: { maxReadUnits: 50, maxWriteUnits: 2.5 } },
    { onDemand: { maxReadUnits: 50, maxWriteUnits: 40_001 } },
    { provisioned: { readUnits: 5, writeUnits: Number.NaN } },
  ])('rejects the capacity %j, and shows a valid one', (tableCapacity) => {
    expect(errorFrom({ tableCapacity })).toMatch(/^tableCapacity: .* For example: \{"onDemand":\{"maxReadUnits":50/);
  });
});
