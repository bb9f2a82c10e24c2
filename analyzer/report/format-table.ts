/** Formats the report for a terminal: first the fleet, then the worst clients. */
import type { RiskLevel } from '../patterns/core-rule.ts';
import { JITTER_OF, type PatternName } from '../patterns/retry-pattern.ts';
import type { ClientReport, FleetReport } from './report.ts';
import { aboutBadEvents, aboutFleet, aboutSynchronisation, count, printable, shortened } from './report-text.ts';

export interface TableOptions {
  /** Width of the terminal in characters. @default 100 */
  readonly columns?: number;
  /** @default false */
  readonly color?: boolean;
  /** Sentences about the logs themselves, such as lines that could not be read. Printed below the fleet's. */
  readonly notes?: readonly string[];
}

const NARROWEST = 40;
const HEADINGS = ['client', 'requests', 'peak/min', 'avg ms', 'jitter', 'risk'];
const LONGEST_NAME = 39;
const INDENT = '    ';

const RESET = '\u001b[0m';
const COLORS: Record<RiskLevel, string> = {
  CRITICAL: '\u001b[31;1m',
  HIGH: '\u001b[33;1m',
  MEDIUM: '\u001b[33m',
  LOW: '\u001b[2m',
};

/** @returns lines, without a line break at the end */
export function formatTable({ fleet, left_out, analyzed_clients, ...report }: FleetReport, options: TableOptions = {}) {
  const { color = false, notes = [] } = options;
  const columns = Math.max(NARROWEST, options.columns ?? 100);
  const worst = fleet.worst_clients;
  const rows = worst.map(cellsOf);
  const widths = HEADINGS.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const draw = (cells: readonly string[]) => drawRow(cells, widths).slice(0, columns).trimEnd();

  const hidden = analyzed_clients.length - worst.length;
  return [
    ...wrap(aboutFleet(fleet, report.threshold_requests_per_min), columns),
    ...wrap(aboutSynchronisation(fleet), columns),
    ...[...notes.map(printable), ...aboutBadEvents(left_out)].flatMap((sentence) => wrap(sentence, columns)),
    '',
    draw(HEADINGS),
    ...worst.flatMap((client, index) => {
      const row = draw(rows[index] ?? []);
      return [
        color ? `${COLORS[client.risk_level]}${row}${RESET}` : row,
        ...wrap(printable(client.verdict), columns - INDENT.length).map((line) => `${INDENT}${line}`),
      ];
    }),
    ...(hidden > 0 ? ['', `${count(hidden)} more clients are not shown. To list all clients, use --format json.`] : []),
  ].join('\n');
}

function cellsOf(client: ClientReport): string[] {
  return [
    shortened(printable(client.client_ip), LONGEST_NAME),
    count(client.total_requests),
    count(client.peak_requests_per_min),
    client.intervals_source === 'reported' ? client.avg_retry_interval_ms.toFixed(2) : '-',
    jitterIn(client.pattern.name),
    client.risk_level,
  ];
}

/** Agrees with the verdict next to it. The core rule's `has_jitter` would be true for waits that double. */
function jitterIn(pattern: PatternName): string {
  const jitter = JITTER_OF[pattern];
  if (jitter !== 'unknown') {
    return jitter;
  }
  return pattern === 'none' ? '-' : '?';
}

function drawRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) =>
      column === 0 || column > 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    .join('  ');
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
