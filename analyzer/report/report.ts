/**
 * The types of the report. Field names are those of the JSON output. Times are in milliseconds unless the field says
 * otherwise.
 */
import type { Tally } from '../parsing/problem.ts';
import type { CoreAssessment } from '../patterns/core-rule.ts';
import type { Pattern, PatternName } from '../patterns/retry-pattern.ts';
import type { IntervalBar } from '../statistics/interval-histogram.ts';
import type { Synchronisation } from '../statistics/synchronisation.ts';

export interface FleetReport {
  /** ISO 8601, UTC. */
  readonly evaluated_at: string;
  readonly threshold_requests_per_min: number;
  readonly analyzed_clients: ClientReports;
  readonly fleet: FleetView;
  readonly left_out: LeftOut;
}

/**
 * The clients in order of first appearance. Each report is built on demand: 100,000 objects would need more memory than
 * everything else. `JSON.stringify` writes it as an array.
 */
export interface ClientReports extends Iterable<ClientReport> {
  readonly length: number;
  readonly toJSON: () => ClientReport[];
}

export interface ClientReport extends CoreAssessment {
  readonly client_ip: string;
  readonly total_requests: number;
  readonly pattern: Pattern;
  /**
   * `derived`: the log has no intervals for this client, so the gaps after its failures are used. The core fields
   * ignore them.
   */
  readonly intervals_source: 'reported' | 'derived' | 'none';
  readonly retries: number;
  /** Undefined if the client never connected. */
  readonly retries_per_connect?: number;
  /** Number of connections that closed within `SHORT_SESSION_MS`. */
  readonly short_sessions: number;
  /** The most requests in one minute; the window slides in steps of 5 s. */
  readonly peak_requests_per_min: number;
  /** What this client does and what to change, as text. */
  readonly verdict: string;
}

export interface FleetView {
  readonly events: number;
  readonly retries: number;
  /** Epoch milliseconds of the first and the last event; undefined if no event has a timestamp. */
  readonly from?: number;
  readonly to?: number;
  readonly clients_by_risk: Readonly<Record<CoreAssessment['risk_level'], number>>;
  readonly clients_by_pattern: Readonly<Record<Pattern['name'], number>>;
  readonly synchronisation: Synchronisation;
  readonly peak_retries_per_second: number;
  readonly timeline: Timeline;
  /** On a logarithmic scale, from the first bar that is not empty to the last one. */
  readonly interval_histogram: readonly IntervalBar[];
  /** `derived`: the log reports no intervals at all, so the histogram shows derived ones. */
  readonly interval_histogram_source: 'reported' | 'derived' | 'none';
  /** The 20 prefixes with the most requests. */
  readonly ipv6_prefixes: readonly PrefixReport[];
  readonly ipv6_prefix_count: number;
  /** The six worst clients of each pattern, ordered by risk, then no jitter first, then by requests. */
  readonly worst_clients: readonly ClientReport[];
  /** The same order, but only among clients with a timeline. */
  readonly client_timelines: readonly ClientTimeline[];
}

export const MOST_PREFIXES = 20;
/** A broken fleet has thousands of clients with the same pattern, so six of them are enough. */
export const MOST_OF_A_KIND = 6;

export interface ClientTimeline {
  readonly client_ip: string;
  readonly pattern: PatternName;
  /** Number of events in each bar of the fleet's timeline. */
  readonly events: readonly number[];
}

export interface Timeline {
  readonly from: number;
  readonly bar_ms: number;
  readonly events: readonly number[];
  readonly retries: readonly number[];
}

export interface PrefixReport {
  readonly prefix: string;
  readonly clients: number;
  readonly total_requests: number;
  readonly clients_without_jitter: number;
}

export interface LeftOut {
  /** Events of clients that appeared after the first `max_clients`: only the fleet's figures include them. */
  readonly events_of_further_clients: number;
  readonly max_clients: number;
  /** Events without a timestamp: totals and core fields include them, figures over time do not. */
  readonly events_without_time: number;
  /** Events that arrived too late: totals and core fields include them, figures that depend on order do not. */
  readonly events_too_late: number;
  /** How late an event was allowed to arrive. */
  readonly lateness_ms: number;
  /** Whether the allowed lateness was shorter at times, because the reorder buffer was full. */
  readonly lateness_was_cut_short: boolean;
}

/** Field names are those of the JSON output. */
export interface LogReport extends Tally {
  readonly name: string;
  /** `'none'` if the file is not a log; `problems` then says why. */
  readonly format: string;
}

/** The {@link LogReport.format} of a file that is not a log. */
export const NO_FORMAT = 'none';

export interface Analysis {
  readonly report: FleetReport;
  readonly logs: readonly LogReport[];
}
