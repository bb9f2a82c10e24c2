/** Describes problems with the logs, one sentence each. A log that could be read completely has none. */

import { describeProblem } from '../parsing/problem.ts';
import { type LogReport, NO_FORMAT } from './report.ts';
import { count, plural } from './report-text.ts';

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
  return [...countProblems(log), ...examples, ...more];
}

/** @returns one sentence, or none if there are no problems */
export function countProblems({ name, events, rejected, incomplete }: LogReport): string[] {
  const counts = [
    ...(rejected === 0 ? [] : [`${plural(rejected, 'record')} could not be read`]),
    ...(incomplete === 0
      ? []
      : [
          `${count(incomplete)} of ${plural(events, 'event')} ${counted(incomplete)} without a missing or invalid field`,
        ]),
  ];
  return counts.length === 0 ? [] : [`${name}: ${counts.join(', and ')}.`];
}

function counted(events: number): string {
  return events === 1 ? 'is counted' : 'are counted';
}
