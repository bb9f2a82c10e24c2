/** What `--fail-on` checks, and when the check is not conclusive. */
import { RISK_LEVELS } from '../patterns/core-rule.ts';
import { JITTER_OF, type JitterOfPattern, PATTERNS } from '../patterns/retry-pattern.ts';
import type { FleetReport, FleetView } from '../report/report.ts';
import { count } from '../report/report-text.ts';

/** A risk level, which includes the higher ones; or a client whose retry pattern has no jitter or too little. */
export const FAULTS = [...RISK_LEVELS, 'NO_JITTER'] as const;
export type Fault = (typeof FAULTS)[number];

const FAULTY: readonly JitterOfPattern[] = ['no', 'weak'];

export function hasFault({ fleet }: FleetReport, fault: Fault): boolean {
  return fault === 'NO_JITTER'
    ? hasClientWith(fleet, (jitter) => FAULTY.includes(jitter))
    : RISK_LEVELS.slice(RISK_LEVELS.indexOf(fault)).some((level) => fleet.clients_by_risk[level] > 0);
}

/** @returns why a fault that was not found may still exist; undefined if the check is conclusive */
export function whyInconclusive(report: FleetReport, fault: Fault): string | undefined {
  const why = whyNotAnalysed(report) ?? (fault === 'NO_JITTER' ? whyNotJudged(report) : undefined);
  return why === undefined ? undefined : `--fail-on ${fault} could not be checked: ${why}`;
}

function whyNotAnalysed({ fleet, left_out }: FleetReport): string | undefined {
  const { events_of_further_clients: unseen, max_clients: most } = left_out;
  if (unseen > 0) {
    return (
      `${count(unseen)} events are from clients beyond the first ${count(most)}, which were not analysed. ` +
      'Analyse more clients with --max-clients.'
    );
  }
  return fleet.events > 0
    ? undefined
    : 'no event could be read, so no client was analysed. Name a log that contains connection attempts.';
}

function whyNotJudged({ fleet }: FleetReport): string | undefined {
  return hasClientWith(fleet, (jitter) => jitter !== 'unknown')
    ? undefined
    : 'no client shows a clear retry pattern. Record at least ten retries of each client.';
}

function hasClientWith({ clients_by_pattern }: FleetView, is: (jitter: JitterOfPattern) => boolean): boolean {
  return PATTERNS.some((name) => is(JITTER_OF[name]) && clients_by_pattern[name] > 0);
}
