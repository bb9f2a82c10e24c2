/** The report as a page of its own. */
import type { FleetReport } from './report.ts';

export function formatHtml(report: FleetReport, _options: { readonly notes?: readonly string[] }): string {
  return `<!doctype html><meta charset="utf-8"><title>Retries</title><p>${report.analyzed_clients.length} clients\n`;
}
