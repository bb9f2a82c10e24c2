/**
 * DynamoDB's clock, read from the Date header of each response. The time of a resume is compared with the time of an alarm, and
 * the clock of an operator's laptop may be minutes off.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The time of the latest response in epoch seconds, rounded down. Undefined before the first response, or if it had no date. */
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

/** The SDK's type for the raw response is `unknown`. */
function dateOf(response: unknown): number | undefined {
  const { date } = Object(Object(response).headers);
  const ms = Date.parse(String(date));
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000);
}
