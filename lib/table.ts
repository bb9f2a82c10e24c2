/**
 * The table of counters, switch and blocks. It costs nothing while nobody calls, and has a ceiling while somebody
 * calls without end.
 */

import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { PARTITION_KEY, TTL_ATTRIBUTE } from '../contract/table.ts';
import { isCount } from './configuration/count.ts';

/**
 * `onDemand`: paid per request, throttled above so many units a second.
 * `provisioned`: paid by the hour, used or not; an account's first 25 read and 25 write units are free.
 */
export type TableCapacity =
  | { readonly onDemand: { readonly maxReadUnits: number; readonly maxWriteUnits: number } }
  | { readonly provisioned: { readonly readUnits: number; readonly writeUnits: number } };

/** Room for some ten calls a second. Used to the full all day, 50 and 50 units cost about 3 dollars. */
export const DEFAULT_TABLE_CAPACITY: TableCapacity = { onDemand: { maxReadUnits: 50, maxWriteUnits: 50 } };

/** What AWS gives a table by default, either way. */
const MOST_UNITS = 40_000;

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
    // Counters are worth nothing once the function that reads them is gone.
    removalPolicy: RemovalPolicy.DESTROY,
  });
  Validations.of(table).acknowledge({
    id: 'AwsSolutions-DDB3',
    reason: 'Counters restored from a backup would be wrong: they count a window that has passed.',
  });
  return table;
}

export function capacityComplaints(capacity: unknown): string[] {
  return isCapacity(capacity)
    ? []
    : [
        `tableCapacity: ${JSON.stringify(capacity)} is wrong: units must be whole numbers from 1 to ${MOST_UNITS}. ` +
          `A right value: ${JSON.stringify(DEFAULT_TABLE_CAPACITY)}, or {"provisioned":{"readUnits":10,"writeUnits":10}}`,
      ];
}

/** It may come from cdk.json, where nothing checked its shape. */
function isCapacity(value: unknown): value is TableCapacity {
  const { onDemand, provisioned } = Object(value);
  return provisioned === undefined
    ? areUnits(onDemand?.maxReadUnits) && areUnits(onDemand?.maxWriteUnits)
    : onDemand === undefined && areUnits(provisioned?.readUnits) && areUnits(provisioned?.writeUnits);
}

function areUnits(value: unknown): boolean {
  return isCount(value, MOST_UNITS);
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
