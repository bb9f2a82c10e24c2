/**
 * The counter-example: the limiter that this project exists to prevent, as it was found in production. It adds first and
 * compares afterwards, and every attempt moves the expiry: a client that keeps asking is never let in again.
 */
import { ConditionalCheckFailedException, DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../limiter/index.ts';

/** One write. @returns whether the call is admitted, and the counter after it */
export async function addThenCompare(
  table: Table,
  subject: string,
  limit: number,
  windowMs: number,
  now: number,
): Promise<{ readonly admitted: boolean; readonly counter: number }> {
  const Key = keyOf(subject);
  const { Attributes } = await table.client.send(
    new UpdateItemCommand({
      TableName: table.name,
      Key,
      UpdateExpression: 'SET expires_at = :expiry ADD cnt :one',
      ExpressionAttributeValues: { ':one': { N: '1' }, ':expiry': { N: String(Math.ceil((now + windowMs) / 1_000)) } },
      ReturnValues: 'ALL_NEW',
    }),
  );
  const counter = Number(Attributes?.['cnt']?.N);
  return { admitted: counter <= limit, counter };
}

/** Stands in for DynamoDB's TTL, at its most punctual and on the replay's clock. It is no part of a call's cost. */
export async function deleteIfExpired(table: Table, subject: string, now: number): Promise<void> {
  try {
    await table.client.send(
      new DeleteItemCommand({
        TableName: table.name,
        Key: keyOf(subject),
        ConditionExpression: 'expires_at <= :now',
        ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1_000)) } },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) {
      throw error;
    }
  }
}

function keyOf(subject: string) {
  return { pk: { S: `add-then-compare#${subject}` } };
}
