/**
 * Follows a growing log until it ends or the signal aborts. Reports each client whose risk level changes, and each problem
 * with the log.
 */
import { type AnalyzeOptions, tallyOfReadError, throwIfStrict } from './analyze.ts';
import { createFleet } from './fleet.ts';
import { FORMAT_NAMES, type Format } from './formats/detect-format.ts';
import type { ByteSource } from './input/byte-source.ts';
import { createInlineEngine } from './input/log-engine.ts';
import { addTallies, EMPTY_TALLY, type Problem, renumbered, type Tally } from './parsing/problem.ts';
import type { RiskLevel } from './patterns/core-rule.ts';
import type { Analysis, ClientReport, FleetReport } from './report/report.ts';

export interface Change {
  /** ISO 8601; the time on the clock, not the time in the log. */
  readonly changed_at: string;
  readonly risk_level_before: RiskLevel;
  readonly client: ClientReport;
}

export interface FollowedLog {
  readonly name: string;
  readonly source: ByteSource;
}

export interface Listener {
  readonly onChange: (change: Change) => void;
  /** Called for the first problems of each chunk, and for the first problem of each kind. */
  readonly onProblem: (problem: Problem) => void;
}

const CHECK_INTERVAL_MS = 1_000;
/** The pause after a check of all clients is at least this many times as long as the check. */
const PAUSE_FACTOR = 10;

/** @returns the report on the whole log, once it has ended */
export async function follow(
  { name, source }: FollowedLog,
  options: AnalyzeOptions,
  { onChange, onProblem }: Listener,
): Promise<Analysis> {
  const now = options.now ?? Date.now;
  const fleet = createFleet(options);
  const changes = createChanges(now);
  let tally = EMPTY_TALLY;
  let nextCheck = 0;
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    timer = undefined;
    const startedAt = now();
    changes(fleet.report({ isLast: false })).forEach(onChange);
    nextCheck = now() + Math.max(CHECK_INTERVAL_MS, (now() - startedAt) * PAUSE_FACTOR);
  }

  function count(later: Tally): void {
    const problems = renumbered(tally, later.problems);
    tally = addTallies(tally, later);
    throwIfStrict(tally, name, options.strict);
    problems.forEach(onProblem);
  }

  let format: Format['kind'];
  try {
    format = await createInlineEngine().run(source, { isFollowed: true, name }, (events, chunk) => {
      count(chunk);
      fleet.add(events);
      // A timer, so that the last events before a quiet period are reported too.
      timer ??= setTimeout(check, Math.max(0, nextCheck - now()));
    });
  } finally {
    clearTimeout(timer);
  }
  count(tallyOfReadError(source));
  const report = fleet.report();
  changes(report).forEach(onChange);
  return { report, logs: [{ name, format: FORMAT_NAMES[format], ...tally }] };
}

function createChanges(now: () => number): (report: FleetReport) => Change[] {
  /** The risk level of each client that is, or has been, above LOW. */
  const levels = new Map<string, RiskLevel>();
  return (report) => {
    const changes: Change[] = [];
    for (const client of report.analyzed_clients) {
      const before = levels.get(client.client_ip) ?? 'LOW';
      if (client.risk_level !== before) {
        levels.set(client.client_ip, client.risk_level);
        changes.push({ changed_at: new Date(now()).toISOString(), risk_level_before: before, client });
      }
    }
    return changes;
  };
}
