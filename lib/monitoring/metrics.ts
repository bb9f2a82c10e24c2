/** The function's own metrics, as CloudWatch is asked for them. */

import type { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS, METRICS_DIMENSION, METRICS_NAMESPACE, type MetricName } from '../../contract/metrics.ts';

/** How often it happened in a period; of a time, the average. */
export function issuerMetric(functionName: string, metricName: MetricName, period: Duration): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { [METRICS_DIMENSION]: functionName },
    statistic: METRICS[metricName] === 'Count' ? Stats.SUM : Stats.AVERAGE,
    period,
  });
}
