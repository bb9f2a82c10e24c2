/**
 * The time by the table's own clock, as each of its answers tells it. An operator's laptop may be minutes off, and what is
 * compared with the time of an alarm must not be.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Epoch seconds of the latest answer, which is in the past: rounded down. Undefined before the first, or where it had no date. */
export type TableClock = () => number | undefined;

export function tableClockOf(client: DynamoDBClient): TableClock {
  let seconds: number | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      seconds = dateOf(result.response);
      return result;
    },
    { step: 'deserialize', name: 'tableClock' },
  );
  return () => seconds;
}

/** What the SDK hands on of an answer has no type. */
function dateOf(response: unknown): number | undefined {
  const { date } = Object(Object(response).headers);
  const ms = Date.parse(String(date));
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000);
}
