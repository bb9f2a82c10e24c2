/**
 * Queries of the function's log, saved in CloudWatch Logs Insights and shown on the dashboard. Their fields are those of the
 * log line that telemetry.ts writes.
 */

import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { readableName } from './names.ts';

const IS_REFUSAL = 'event = "session" and code not in ["issued", "preflight"]';

export const LOG_QUERIES = {
  'refusals by viewer': new QueryString({
    filterStatements: [`${IS_REFUSAL} and ispresent(viewer)`],
    statsStatements: ['count(*) as refusals, latest(code) as last_code, latest(time) as last_time by viewer'],
    sort: 'refusals desc',
    limit: 20,
  }),
  'refusals by reason': new QueryString({
    filterStatements: [IS_REFUSAL],
    statsStatements: ['count(*) as refusals, latest(time) as last_time by code, status, scope, reason'],
    sort: 'refusals desc',
    limit: 50,
  }),
  latency: new QueryString({
    filterStatements: ['event = "session"'],
    statsStatements: [
      'count(*) as requests, pct(duration_ms, 50) as p50_ms, pct(duration_ms, 95) as p95_ms, max(duration_ms) as max_ms by code, cold_start',
    ],
    sort: 'requests desc',
  }),
} as const;

/** A saved query costs nothing. Running one is charged by the amount of log that it reads; 5 GB a month are free. */
export function createLogQueries(scope: Construct, logGroup: ILogGroup): void {
  const folder = readableName(scope);
  for (const [name, queryString] of Object.entries(LOG_QUERIES)) {
    const id = `Query-${name.replaceAll(' ', '-')}`;
    new QueryDefinition(scope, id, { queryDefinitionName: `${folder}/${name}`, queryString, logGroups: [logGroup] });
  }
}
