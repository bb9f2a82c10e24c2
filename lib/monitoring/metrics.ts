/** The function's own metrics, for alarms and the dashboard. */

import type { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS, METRICS_DIMENSION, METRICS_NAMESPACE, type MetricName } from '../../contract/metrics.ts';

/** A count is summed over the period; a duration is averaged. */
export function issuerMetric(functionName: string, metricName: MetricName, period: Duration): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { [METRICS_DIMENSION]: functionName },
    statistic: METRICS[metricName] === 'Count' ? Stats.SUM : Stats.AVERAGE,
    period,
  });
}
