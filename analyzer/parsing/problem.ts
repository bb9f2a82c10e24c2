/** The problems of a log: all of them are counted, and the first few are shown as examples. */

export interface Problem {
  /** Line number, starting at 1; undefined if the format has no lines. */
  readonly line?: number;
  /** Bytes from the start of the log; decompressed bytes if the log is compressed. */
  readonly offset: number;
  /** Continues the sentence "the element …". */
  readonly complaint: string;
  /** The beginning of the line or element. */
  readonly value: string;
}

export interface Tally {
  readonly lines: number;
  readonly events: number;
  /** Lines or elements that could not be read as events. */
  readonly rejected: number;
  /** Events that were counted without a field that is missing or invalid. */
  readonly incomplete: number;
  /** Valid lines or elements that are not connection attempts. */
  readonly other: number;
  /** The first problems; for a chunk, also the first one of each kind. */
  readonly problems: readonly Problem[];
}

export const MOST_EXAMPLES = 10;
export const LONGEST_VALUE = 100;

export const EMPTY_TALLY: Tally = { lines: 0, events: 0, rejected: 0, incomplete: 0, other: 0, problems: [] };

/** @param later the tally of the bytes that follow `earlier`; its line numbers start at 1 */
export function addTallies(earlier: Tally, later: Tally): Tally {
  const room = MOST_EXAMPLES - earlier.problems.length;
  const examples = renumbered(earlier, later.problems.slice(0, room));
  return {
    lines: earlier.lines + later.lines,
    events: earlier.events + later.events,
    rejected: earlier.rejected + later.rejected,
    incomplete: earlier.incomplete + later.incomplete,
    other: earlier.other + later.other,
    problems: examples.length === 0 ? earlier.problems : [...earlier.problems, ...examples],
  };
}

/**
 * @param problems of the bytes that follow `earlier`; their line numbers start at 1.
 * @returns them with line numbers of the whole log
 */
export function renumbered({ lines }: Tally, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => (problem.line === undefined ? problem : { ...problem, line: problem.line + lines }));
}

/** The complaint without values from the log, so that there are few kinds whatever the log contains. */
export function kindOf(complaint: string): string {
  return complaint.replace(/:.*$|\d+/gs, '');
}

/** @param log the name of the log */
export function describeProblem({ line, offset, complaint, value }: Problem, log: string): string {
  const place = line === undefined ? `${log}, byte ${offset}` : `${log}, line ${line} (byte ${offset})`;
  return `${place}: ${complaint}${value === '' ? '' : `: ${JSON.stringify(value)}`}`;
}
