/** The report for a terminal. */
import type { FleetReport } from './report.ts';

export function formatTable(
  report: FleetReport,
  _options: { readonly columns?: number; readonly color?: boolean; readonly notes?: readonly string[] },
): string {
  const rows = [...report.analyzed_clients].map(
    ({ client_ip, risk_level, total_requests, avg_retry_interval_ms }) =>
      `${client_ip}\t${risk_level}\t${total_requests}\t${avg_retry_interval_ms}`,
  );
  return `${rows.join('\n')}\n`;
}
