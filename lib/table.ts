/**
 * The table that holds the counters, the kill switch and the blocks. It costs nothing while idle, and its maximum throughput
 * caps what a flood of requests can cost.
 */

import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { PARTITION_KEY, TTL_ATTRIBUTE } from '../contract/table.ts';
import { isCount } from './configuration/count.ts';

/**
 * `onDemand`: charged per request, and throttled above this number of units per second.
 * `provisioned`: charged by the hour, used or not; an account's first 25 read and 25 write units are free.
 */
export type TableCapacity =
  | { readonly onDemand: { readonly maxReadUnits: number; readonly maxWriteUnits: number } }
  | { readonly provisioned: { readonly readUnits: number; readonly writeUnits: number } };

/** Enough for about ten calls a second. If all 50 read and 50 write units are used for a whole day, they cost about 3 dollars. */
export const DEFAULT_TABLE_CAPACITY: TableCapacity = { onDemand: { maxReadUnits: 50, maxWriteUnits: 50 } };

/** AWS's default quota for one table, on demand or provisioned. */
const MAX_UNITS = 40_000;

interface TableSettings {
  readonly tableName: string | undefined;
  readonly capacity: TableCapacity;
}

export function createTable(scope: Construct, { tableName, capacity }: TableSettings): Table {
  const table = new Table(scope, 'Table', {
    ...(tableName === undefined ? {} : { tableName }),
    partitionKey: { name: PARTITION_KEY, type: AttributeType.STRING },
    timeToLiveAttribute: TTL_ATTRIBUTE,
    ...billing(capacity),
    // The counters are useless without the function that reads them.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  Validations.of(table).acknowledge({
    id: 'AwsSolutions-DDB3',
    reason: 'Counters restored from a backup would be out of date: they belong to windows that have ended.',
  });
  return table;
}

/** @returns an error message, or none if the capacity is valid */
export function validateCapacity(capacity: unknown): string[] {
  return isCapacity(capacity)
    ? []
    : [
        `tableCapacity: ${JSON.stringify(capacity)} is invalid: units must be whole numbers from 1 to ${MAX_UNITS}. ` +
          `For example: ${JSON.stringify(DEFAULT_TABLE_CAPACITY)}, or {"provisioned":{"readUnits":10,"writeUnits":10}}`,
      ];
}

/** The value may come from cdk.json, which no compiler checks. */
function isCapacity(value: unknown): value is TableCapacity {
  const { onDemand, provisioned } = Object(value);
  return provisioned === undefined
    ? areUnits(onDemand?.maxReadUnits) && areUnits(onDemand?.maxWriteUnits)
    : onDemand === undefined && areUnits(provisioned?.readUnits) && areUnits(provisioned?.writeUnits);
}

function areUnits(value: unknown): boolean {
  return isCount(value, MAX_UNITS);
}

function billing(capacity: TableCapacity) {
  if ('onDemand' in capacity) {
    return {
      billingMode: BillingMode.PAY_PER_REQUEST,
      maxReadRequestUnits: capacity.onDemand.maxReadUnits,
      maxWriteRequestUnits: capacity.onDemand.maxWriteUnits,
    };
  }
  return {
    billingMode: BillingMode.PROVISIONED,
    readCapacity: capacity.provisioned.readUnits,
    writeCapacity: capacity.provisioned.writeUnits,
  };
}
