/** The incident's figures as a table, for docs/why.md and for the terminal. */
import { markdownTable } from '../harness/markdown.ts';
import type { ContenderResult, IncidentReport } from './incident-report.ts';

export function renderTable({ results }: IncidentReport): string {
  const heading = ['', 'let in, hour by hour', 'highest counter', 'writes', 'longest wait'];
  return markdownTable([heading, ...results.map(cellsOf)]);
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

/** Without leading units that are zero: `3 h 59 min 30 s`, `59 min 30 s`. */
function duration(seconds: number): string {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const words = parts.map((value, index) => `${value} ${['h', 'min', 's'][index]}`);
  return words.slice(parts.findIndex((value) => value > 0)).join(' ');
}
