/** The incident's figures as a table, and its place in the README. */
import type { ContenderResult, IncidentReport } from './incident-report.ts';

const BEGIN = '<!-- simulate:begin -->';
const END = '<!-- simulate:end -->';

/** Markdown that is aligned, so that it can be read on a terminal too. */
export function renderTable({ results }: IncidentReport): string {
  const rows = [['', 'let in, hour by hour', 'highest counter', 'writes', 'longest wait'], ...results.map(cellsOf)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const [heading, ...body] = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [heading, rule, ...body].map((cells) => `| ${cells?.join(' | ')} |`).join('\n');
}

/** @throws Error if the text has no place for a table */
export function insertTable(text: string, table: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) {
    throw new Error(`There is no ${BEGIN} followed by ${END} in the README.`);
  }
  return `${text.slice(0, begin)}${BEGIN}\n\n${table}\n\n${text.slice(end)}`;
}

function cellsOf({ name, admittedPerWindow, highestCounter, writes, longestWait }: ContenderResult): string[] {
  return [
    /\d/.test(name) ? `\`${name}\`` : name,
    admittedPerWindow.join(', '),
    thousands(highestCounter),
    thousands(writes),
    `${longestWait.ended ? '' : 'still waiting after '}${duration(longestWait.seconds)}`,
  ];
}

function thousands(value: number): string {
  return value.toLocaleString('en');
}

/** Without the units that are zero in front: `3 h 59 min 30 s`, `59 min 30 s`. */
function duration(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const words = parts.map((value, index) => `${value} ${['h', 'min', 's'][index]}`);
  return words.slice(parts.findIndex((value) => value > 0)).join(' ');
}
