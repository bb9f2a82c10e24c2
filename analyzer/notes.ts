/** What is to be said of the logs themselves, a sentence each; nothing where all of a log could be read. */
import type { LogReport } from './analyze.ts';
import { describeProblem } from './problem.ts';

const SHOWN = 3;

export function describeLogs(logs: readonly LogReport[]): string[] {
  return logs.flatMap(describeLog);
}

function describeLog({ name, events, rejected, incomplete, problems }: LogReport): string[] {
  const total = rejected + incomplete;
  if (total === 0) {
    return [];
  }
  const examples = problems.slice(0, SHOWN).map((problem) => `  ${describeProblem(problem, name)}`);
  const more = total > examples.length ? [`  and ${(total - examples.length).toLocaleString('en')} more`] : [];
  return [
    `${name}: ${rejected.toLocaleString('en')} could not be read, and ${incomplete.toLocaleString('en')} of ` +
      `${events.toLocaleString('en')} events count without a field.`,
    ...examples,
    ...more,
  ];
}
