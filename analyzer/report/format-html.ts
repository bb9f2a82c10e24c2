/**
 * Formats the report as one self-contained HTML page. It has no script and loads nothing, and a content security policy
 * blocks both. Client names come from a log that anybody can write to, so every value is escaped. The page's size is
 * bounded, whatever the size of the log.
 */
import { drawClients, drawIntervals, drawRetries, escaped } from './html-charts.ts';
import { type ClientReport, type FleetReport, type FleetView, MOST_OF_A_KIND, type PrefixReport } from './report.ts';
import { aboutBadEvents, aboutFleet, aboutSynchronisation, count, duration, shortened } from './report-text.ts';

const LONGEST_NAME = 100;

const STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --page: #fff; --card: #f6f8fa; --grid: #d1d9e0; --bar: #0969da; --bad: #cf222e; --warn: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --text: #f0f6fc; --quiet: #9198a1; --page: #0d1117; --card: #151b23; --grid: #3d444d; --bar: #4493f8; --bad: #f85149; --warn: #d29922; }
}
body { margin: 0 auto; max-width: 1040px; padding: 24px; font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 17px; margin: 32px 0 8px; }
p { margin: 4px 0; }
.quiet { color: var(--quiet); }
.alarm { border-left: 4px solid var(--bad); padding-left: 12px; }
.calm { border-left: 4px solid var(--grid); padding-left: 12px; }
.card { background: var(--card); border-radius: 8px; padding: 12px; }
svg { display: block; overflow: visible; }
.chart { margin: 0 8px 0 56px; width: calc(100% - 64px); }
.strips { display: grid; grid-template-columns: 290px minmax(0, 1fr); column-gap: 10px; margin-right: 8px; }
.who { font: 12px/18px system-ui, sans-serif; color: var(--quiet); text-align: right; overflow-wrap: anywhere; }
.times { grid-column: -2; width: 100%; }
.bar { fill: var(--bar); }
.strip { fill: var(--bad); width: 100%; height: 13px; margin: 2px 0; border-bottom: 1px solid var(--grid); }
.grid { stroke: var(--grid); fill: none; }
.tick { font: 12px system-ui, sans-serif; fill: var(--quiet); }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px; border-bottom: 1px solid var(--grid); }
th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.name { font-family: ui-monospace, monospace; overflow-wrap: anywhere; min-width: 9em; }
.verdict { min-width: 18em; }
@media (max-width: 900px) {
  .strips { grid-template-columns: minmax(0, 1fr); }
  .who { text-align: left; }
  .extra, thead { display: none; }
  tr { display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 8px 0; border-bottom: 1px solid var(--grid); }
  td { border: 0; padding: 0; }
  .name { flex: 1; }
  .number::after { content: attr(data-unit); color: var(--quiet); }
  .verdict { flex: 0 0 100%; min-width: 0; }
}
@media (max-width: 640px) {
  .bar { stroke: var(--bar); }
  .strip { stroke: var(--bad); }
  .bar, .strip rect { stroke-width: 0.5px; vector-effect: non-scaling-stroke; }
}
.CRITICAL { color: var(--bad); font-weight: 600; }
.HIGH, .MEDIUM { color: var(--warn); font-weight: 600; }
`;

const ABOUT_INTERVALS: Readonly<Record<FleetView['interval_histogram_source'], string>> = {
  reported: 'Only intervals that the log reports are shown.',
  derived:
    'The log reports no intervals, so these are the gaps after failures, which include the duration of the next attempt.',
  none: '',
};

/** @param options `notes`: sentences about the logs themselves, such as lines that could not be read */
export function formatHtml(report: FleetReport, options: { readonly notes?: readonly string[] } = {}): string {
  const { fleet, left_out } = report;
  const worst = fleet.worst_clients;
  const strips = fleet.from === undefined ? [] : fleet.client_timelines;
  const isInStep = fleet.synchronisation.verdict === 'in_step';
  const bad = [...(options.notes ?? []), ...aboutBadEvents(left_out)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Retries</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Retries</h1>
<p class="quiet">Evaluated at ${escaped(report.evaluated_at)}. Times are UTC.</p>
<p>${escaped(aboutFleet(fleet, report.threshold_requests_per_min))}</p>
<p class="${isInStep ? 'alarm' : 'calm'}">${escaped(aboutSynchronisation(fleet))}</p>
${section('Retries per second', `The peak is ${count(fleet.peak_retries_per_second)} in one second of the clock. Each bar covers ${duration(fleet.timeline.bar_ms)} and shows the average rate in that time.`, fleet.timeline.retries.some((inBar) => inBar > 0) ? drawRetries(fleet.timeline) : '')}
${section('Retry intervals', `Without jitter, most intervals are in a few bars. With jitter, they spread over many. ${ABOUT_INTERVALS[fleet.interval_histogram_source]}`, fleet.interval_histogram.length > 0 ? drawIntervals(fleet.interval_histogram) : '')}
${section('The worst clients over time', 'One strip per client, for the worst clients of each pattern. If many strips look the same, the clients retry in step.', strips.length > 0 ? drawClients(fleet.timeline, strips) : '')}
<h2>The worst clients</h2>
<p class="quiet">${count(worst.length)} of ${count(report.analyzed_clients.length)} clients: up to ${MOST_OF_A_KIND} of each retry pattern, the worst first.</p>
<div class="scroll"><table>
<thead><tr><th>Client</th><th>Risk</th><th class="number">Requests</th><th class="number">Peak/min</th><th>What it does and what to change</th></tr></thead>
<tbody>
${worst.map(clientRow).join('\n')}
</tbody></table></div>
${prefixes(fleet.ipv6_prefixes, fleet.ipv6_prefix_count)}
${bad.length === 0 ? '' : `<h2>Incomplete data</h2>\n${bad.map((sentence) => `<p>${escaped(sentence)}</p>`).join('\n')}`}
</body>
</html>
`;
}

function section(title: string, note: string, chart: string): string {
  return chart === ''
    ? `<h2>${title}</h2><p class="quiet">The log has no data for this chart.</p>`
    : `<h2>${title}</h2><p class="quiet">${note}</p><div class="card">${chart}</div>`;
}

function clientRow(client: ClientReport): string {
  return `<tr><td class="name">${escaped(shortened(client.client_ip, LONGEST_NAME))}</td><td class="${client.risk_level}">${client.risk_level}</td>${number(client.total_requests, ' requests')}${number(client.peak_requests_per_min, ' per minute at peak')}<td class="verdict">${escaped(client.verdict)}</td></tr>`;
}

function prefixes(rows: readonly PrefixReport[], all: number): string {
  if (rows.length === 0) {
    return '';
  }
  const body = rows.map(
    ({ prefix, clients, total_requests, clients_without_jitter }) =>
      `<tr><td class="name">${escaped(prefix)}</td>${number(clients, ' addresses')}${number(total_requests, ' requests')}${number(clients_without_jitter, ' without jitter')}</tr>`,
  );
  return `<h2>IPv6 addresses by prefix</h2>
<p class="quiet">${count(rows.length)} of ${count(all)} prefixes: the ones with the most requests.</p>
<div class="scroll"><table>
<thead><tr><th>Prefix</th><th class="number">Addresses</th><th class="number">Requests</th><th class="number">Without jitter</th></tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}

/** @param unit shown on narrow screens, which have no column headings */
function number(value: number, unit: string): string {
  return `<td class="number" data-unit="${unit}">${count(value)}</td>`;
}
