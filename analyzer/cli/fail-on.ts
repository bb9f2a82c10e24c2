/** What `--fail-on` looks for, and when it cannot say that there is none. */
import { RISK_LEVELS } from '../patterns/core-rule.ts';
import { JITTER_OF, type JitterOfPattern, PATTERNS } from '../patterns/retry-pattern.ts';
import type { FleetReport, FleetView } from '../report/report.ts';
import { count } from '../report/report-text.ts';

/** A risk or a higher one, or a client whose pattern has no jitter, or too little. */
export const FAULTS = [...RISK_LEVELS, 'NO_JITTER'] as const;
export type Fault = (typeof FAULTS)[number];

const FAULTY: readonly JitterOfPattern[] = ['no', 'weak'];

export function hasFault({ fleet }: FleetReport, fault: Fault): boolean {
  return fault === 'NO_JITTER'
    ? hasClientWith(fleet, (jitter) => FAULTY.includes(jitter))
    : RISK_LEVELS.slice(RISK_LEVELS.indexOf(fault)).some((level) => fleet.clients_by_risk[level] > 0);
}

/** @returns why a fault that was not found may be there all the same; undefined if it is not */
export function doubtOf(report: FleetReport, fault: Fault): string | undefined {
  const why = whatWasNotSeen(report) ?? (fault === 'NO_JITTER' ? whatWasNotJudged(report) : undefined);
  return why === undefined ? undefined : `--fail-on ${fault} cannot be answered: ${why}`;
}

function whatWasNotSeen({ fleet, left_out }: FleetReport): string | undefined {
  const { events_of_further_clients: unseen, max_clients: most } = left_out;
  if (unseen > 0) {
    return (
      `${count(unseen)} events are of clients beyond the first ${count(most)}, which were not looked at. ` +
      'Keep more with --max-clients.'
    );
  }
  return fleet.events > 0
    ? undefined
    : 'no event could be read, so no client was looked at. Name a log that holds attempts to connect.';
}

function whatWasNotJudged({ fleet }: FleetReport): string | undefined {
  return hasClientWith(fleet, (jitter) => jitter !== 'unknown')
    ? undefined
    : 'no client has waits that tell how it waits. Let each retry ten times, so that there are as many intervals.';
}

function hasClientWith({ clients_by_pattern }: FleetView, is: (jitter: JitterOfPattern) => boolean): boolean {
  return PATTERNS.some((name) => is(JITTER_OF[name]) && clients_by_pattern[name] > 0);
}
