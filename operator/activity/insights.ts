/**
 * Reads the function's log with CloudWatch Logs Insights, as the rows that {@link activityIn} takes. Two queries each scan one
 * day of the log: half a cent per gigabyte, after the 5 GB of logs that are free each month.
 */
import {
  type CloudWatchLogsClient,
  GetQueryResultsCommand,
  type ResultField,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { OperatorError } from '../operator-error.ts';
import { firstHour, type LogRows } from './activity.ts';

const SESSIONS = 'filter event = "session" and (not ispresent(replayed) or replayed = 0)';
const BY_HOUR = `${SESSIONS} | stats count(*) as n by bin(1h) as hour, code | limit 1000`;
const BY_VIEWER = `${SESSIONS} and ispresent(viewer) | stats count(*) as n by viewer, code | sort n desc | limit 100`;

const POLL_EVERY_MS = 500;
const MAX_POLLS = 40;

export type Wait = (ms: number) => Promise<void>;

/** @param now epoch milliseconds. @throws what the SDK throws; OperatorError if a query fails or does not finish */
export async function readInsights(
  logs: CloudWatchLogsClient,
  logGroup: string,
  now: number,
  wait: Wait,
): Promise<LogRows> {
  const run = (query: string) => runQuery(logs, { logGroup, query, from: firstHour(now), until: now }, wait);
  const [hours, viewers] = await Promise.all([run(BY_HOUR), run(BY_VIEWER)]);
  return {
    byHour: hours.map((row) => ({ hour: Date.parse(`${field(row, 'hour').replace(' ', 'T')}Z`), ...counted(row) })),
    byViewer: viewers.map((row) => ({ viewer: field(row, 'viewer'), ...counted(row) })),
  };
}

interface Query {
  readonly logGroup: string;
  readonly query: string;
  readonly from: number;
  readonly until: number;
}

async function runQuery(logs: CloudWatchLogsClient, { logGroup, query, from, until }: Query, wait: Wait) {
  const { queryId } = await logs.send(
    new StartQueryCommand({
      logGroupName: logGroup,
      queryString: query,
      startTime: Math.floor(from / 1_000),
      endTime: Math.ceil(until / 1_000),
    }),
  );
  for (let attempt = 0; attempt < MAX_POLLS; attempt += 1) {
    const { status, results } = await logs.send(new GetQueryResultsCommand({ queryId }));
    if (status === 'Complete') {
      return results ?? [];
    }
    if (status !== 'Scheduled' && status !== 'Running') {
      throw new OperatorError(
        `Logs Insights could not read the log group ${logGroup} (status: ${status ?? 'none'}). Run the command again.`,
      );
    }
    await wait(POLL_EVERY_MS);
  }
  throw new OperatorError(
    `Logs Insights is still reading the log group ${logGroup}. Run the command again in a minute.`,
  );
}

function counted(row: readonly ResultField[]): { code: string; count: number } {
  return { code: field(row, 'code'), count: Number(field(row, 'n')) };
}

function field(row: readonly ResultField[], name: string): string {
  return row.find((each) => each.field === name)?.value ?? '';
}
