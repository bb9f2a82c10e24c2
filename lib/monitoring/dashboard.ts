/**
 * One dashboard that answers, from top to bottom: is it on, is it being abused, is it failing, what does it cost. It shows fewer
 * than 50 metrics; a dashboard is free up to that number.
 */

import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  type Metric,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { MetricName } from '../../contract/metrics.ts';
import { LOG_QUERIES } from './log-queries.ts';
import { issuerMetric } from './metrics.ts';
import { readableName } from './names.ts';

interface DashboardSettings {
  readonly table: Table;
  readonly function: LambdaFunction;
  readonly logGroup: ILogGroup;
  readonly alarms: readonly IAlarm[];
}

/** A CloudWatch dashboard has this many columns. */
const WIDTH = 24;
const FIVE_MINUTES = Duration.minutes(5);

export function createDashboard(scope: Construct, { table, logGroup, alarms, ...settings }: DashboardSettings): void {
  const issuer = settings.function;
  const counted = (...names: MetricName[]) =>
    names.map((name) => issuerMetric(issuer.functionName, name, FIVE_MINUTES));
  const consumed = { statistic: 'Sum', period: FIVE_MINUTES };

  const isItOn = [
    total('In the selected time range', counted('KeysIssued', 'Paused')),
    graph('Keys, and requests while paused', counted('KeysIssued', 'Paused')),
    ...(alarms.length === 0 ? [] : [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 8 })]),
  ];
  const isItAbused = [
    graph('Refused: limit of one visitor, limit for all visitors', counted('RateLimited', 'BudgetExhausted')),
    new LogQueryWidget({
      title: 'Refusals by viewer (a pseudonym)',
      logGroupNames: [logGroup.logGroupName],
      queryString: LOG_QUERIES['refusals by viewer'].toString(),
      width: 16,
    }),
  ];
  const isItFailing = [
    graph(
      'OpenAI and DynamoDB',
      counted('UpstreamRefused', 'UpstreamUnavailable', 'LimiterUnavailable', 'FailedOpen', 'Faults'),
    ),
    graph('The function', [
      issuer.metricErrors({ period: FIVE_MINUTES }),
      issuer.metricThrottles({ period: FIVE_MINUTES }),
    ]),
    graph(
      'OpenAI: response time of a request for a key, ms',
      percentiles(issuerMetric(issuer.functionName, 'MintTime', FIVE_MINUTES)),
    ),
  ];
  const whatItCosts = [
    total('Keys in the selected time range', counted('KeysIssued')),
    graph('DynamoDB units', [
      table.metricConsumedReadCapacityUnits(consumed),
      table.metricConsumedWriteCapacityUnits(consumed),
    ]),
    graph('Lambda requests', [issuer.metricInvocations({ period: FIVE_MINUTES })]),
  ];

  new Dashboard(scope, 'Dashboard', {
    dashboardName: readableName(scope),
    defaultInterval: Duration.hours(24),
    widgets: [
      heading(
        'Is it on?',
        'Current state: `npm run issuer -- status`. A pause appears here after the next request for a key.',
      ),
      isItOn,
      heading('Is it being abused?', 'docs/runbook.md#abused'),
      isItAbused,
      heading('Is it failing?', 'docs/errors.md has a heading for each code.'),
      isItFailing,
      heading('What does it cost?', 'What OpenAI charges is shown only at OpenAI. AWS Budgets does not include it.'),
      whatItCosts,
    ],
  });
}

function heading(title: string, text: string): IWidget[] {
  return [new TextWidget({ markdown: `## ${title}\n${text}`, width: WIDTH, height: 2 })];
}

function total(title: string, metrics: IMetric[]): IWidget {
  return new SingleValueWidget({ title, metrics, setPeriodToTimeRange: true, width: 8 });
}

function graph(title: string, metrics: IMetric[]): IWidget {
  return new GraphWidget({ title, left: metrics, leftYAxis: { min: 0, showUnits: false }, width: 8 });
}

function percentiles(metric: Metric): IMetric[] {
  return ['p50', 'p95'].map((statistic) => metric.with({ statistic, label: statistic }));
}
