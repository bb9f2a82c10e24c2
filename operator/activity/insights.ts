/**
 * CloudWatch Logs Insights on the function's log, as the rows that {@link activityIn} reads. Two queries over a day, which
 * read the log once each: half a cent per gigabyte, after the 5 GB of logs that are free each month.
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

const ASK_AGAIN_MS = 500;
const PATIENCE = 40;

export type Wait = (ms: number) => Promise<void>;

/** @param now epoch milliseconds. @throws what the SDK throws; OperatorError if a query does not end well */
export async function readInsights(
  logs: CloudWatchLogsClient,
  logGroup: string,
  now: number,
  wait: Wait,
): Promise<LogRows> {
  const ask = (query: string) => runQuery(logs, { logGroup, query, from: firstHour(now), until: now }, wait);
  const [hours, viewers] = await Promise.all([ask(BY_HOUR), ask(BY_VIEWER)]);
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
  for (let attempt = 0; attempt < PATIENCE; attempt += 1) {
    const { status, results } = await logs.send(new GetQueryResultsCommand({ queryId }));
    if (status === 'Complete') {
      return results ?? [];
    }
    if (status !== 'Scheduled' && status !== 'Running') {
      throw new OperatorError(`Logs Insights gave up on the log ${logGroup} (${status ?? 'no status'}). Try again.`);
    }
    await wait(ASK_AGAIN_MS);
  }
  throw new OperatorError(`Logs Insights is still reading the log ${logGroup}. Try again in a minute.`);
}

function counted(row: readonly ResultField[]): { code: string; count: number } {
  return { code: field(row, 'code'), count: Number(field(row, 'n')) };
}

function field(row: readonly ResultField[], name: string): string {
  return row.find((each) => each.field === name)?.value ?? '';
}
