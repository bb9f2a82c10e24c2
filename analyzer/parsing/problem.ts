/** What is wrong with a log: counted in full, shown in a few examples. */

export interface Problem {
  /** From 1 up, where the log has lines. */
  readonly line?: number;
  /** Bytes from the log's start; of what a gzip file holds, where it is one. */
  readonly offset: number;
  /** Continues the sentence "the element …". */
  readonly complaint: string;
  /** The beginning of what was complained of. */
  readonly value: string;
}

export interface Tally {
  readonly lines: number;
  readonly events: number;
  /** No event could be made of them. */
  readonly rejected: number;
  /** Counted as events, without the field that could not be read. */
  readonly incomplete: number;
  /** Sound, but no attempt to connect. */
  readonly other: number;
  /** The first ones; of a chunk, also the first of each kind. */
  readonly problems: readonly Problem[];
}

export const MOST_EXAMPLES = 10;
export const LONGEST_VALUE = 100;

export const NOTHING: Tally = { lines: 0, events: 0, rejected: 0, incomplete: 0, other: 0, problems: [] };

/** @param later of the bytes that follow those of `earlier`; its lines are counted from 1 */
export function addTallies(earlier: Tally, later: Tally): Tally {
  const room = MOST_EXAMPLES - earlier.problems.length;
  const examples = placedBehind(earlier, later.problems.slice(0, room));
  return {
    lines: earlier.lines + later.lines,
    events: earlier.events + later.events,
    rejected: earlier.rejected + later.rejected,
    incomplete: earlier.incomplete + later.incomplete,
    other: earlier.other + later.other,
    problems: examples.length === 0 ? earlier.problems : [...earlier.problems, ...examples],
  };
}

/** @param problems whose lines are counted from 1 behind `earlier` */
export function placedBehind({ lines }: Tally, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => (problem.line === undefined ? problem : { ...problem, line: problem.line + lines }));
}

/** A complaint without what stands in the log: so there are few kinds, whatever it holds. */
export function kindOf(complaint: string): string {
  return complaint.replace(/:.*$|\d+/gs, '');
}

/** @param log the file's name */
export function describeProblem({ line, offset, complaint, value }: Problem, log: string): string {
  const place = line === undefined ? `${log}, byte ${offset}` : `${log}, line ${line} (byte ${offset})`;
  return `${place}: ${complaint}${value === '' ? '' : `: ${JSON.stringify(value)}`}`;
}
