/**
 * Watches a log that goes on, and tells of each client whose risk has changed, and of what cannot be read, until the log ends
 * or the signal comes.
 */
import { type AnalyzeOptions, insistOnSoundness, troubleOf } from './analyze.ts';
import { createFleet } from './fleet.ts';
import { FORMAT_NAMES, type Format } from './formats/detect-format.ts';
import type { ByteSource } from './input/byte-source.ts';
import { createInlineEngine } from './input/log-engine.ts';
import { addTallies, NOTHING, type Problem, placedBehind, type Tally } from './parsing/problem.ts';
import type { RiskLevel } from './patterns/core-rule.ts';
import type { Analysis, ClientReport, FleetReport } from './report/report.ts';

export interface Change {
  /** ISO 8601, of the clock and not of the log. */
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
  /** Of each chunk the first ones, and the first of each kind. */
  readonly onProblem: (problem: Problem) => void;
}

const LOOKED_EVERY_MS = 1_000;
/** Looking at all clients may take this share of the time. */
const SHARE = 10;

/** @returns the report at the end */
export async function follow(
  { name, source }: FollowedLog,
  options: AnalyzeOptions,
  { onChange, onProblem }: Listener,
): Promise<Analysis> {
  const now = options.now ?? Date.now;
  const fleet = createFleet(options);
  const changes = createChanges(now);
  let tally = NOTHING;
  let nextLook = 0;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    timer = undefined;
    const startedAt = now();
    changes(fleet.report({ isLast: false })).forEach(onChange);
    nextLook = now() + Math.max(LOOKED_EVERY_MS, (now() - startedAt) * SHARE);
  }

  function count(later: Tally): void {
    const problems = placedBehind(tally, later.problems);
    tally = addTallies(tally, later);
    insistOnSoundness(tally, name, options.strict);
    problems.forEach(onProblem);
  }

  let format: Format['kind'];
  try {
    format = await createInlineEngine().run(source, { isFollowed: true, name }, (events, chunk) => {
      count(chunk);
      fleet.add(events);
      // What comes last before a silence is told too.
      timer ??= setTimeout(look, Math.max(0, nextLook - now()));
    });
  } finally {
    clearTimeout(timer);
  }
  count(troubleOf(source));
  const report = fleet.report();
  changes(report).forEach(onChange);
  return { report, logs: [{ name, format: FORMAT_NAMES[format], ...tally }] };
}

function createChanges(now: () => number): (report: FleetReport) => Change[] {
  /** Of all that are not LOW. */
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
