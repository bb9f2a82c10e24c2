/** What is to be said of the logs themselves, a sentence each; nothing where all of a log could be read. */

import { describeProblem } from '../parsing/problem.ts';
import { type LogReport, NO_FORMAT } from './report.ts';
import { count } from './report-text.ts';

const SHOWN = 3;

export function describeLogs(logs: readonly LogReport[]): string[] {
  return logs.flatMap(describeLog);
}

function describeLog(log: LogReport): string[] {
  const { name, format, rejected, incomplete, problems } = log;
  if (format === NO_FORMAT) {
    return problems.map(({ complaint }) => `Left out: ${complaint}`);
  }
  const total = rejected + incomplete;
  const examples = problems.slice(0, SHOWN).map((problem) => `  ${describeProblem(problem, name)}`);
  const more = total > examples.length ? [`  and ${count(total - examples.length)} more`] : [];
  return [...countFaults(log), ...examples, ...more];
}

/** A sentence, if there are any. */
export function countFaults({ name, events, rejected, incomplete }: LogReport): string[] {
  const faults = [
    ...(rejected === 0 ? [] : [`${count(rejected)} could not be read`]),
    ...(incomplete === 0
      ? []
      : [`${count(incomplete)} of ${count(events)} events ${verb(incomplete)} without a field`]),
  ];
  return faults.length === 0 ? [] : [`${name}: ${faults.join(', and ')}.`];
}

function verb(events: number): string {
  return events === 1 ? 'counts' : 'count';
}
