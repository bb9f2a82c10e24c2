/** What the statistics say in the end. Names are those of the JSON output; every time is in milliseconds unless it says otherwise. */
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
 * In order of first appearance, each made when it is asked for: 100,000 objects would be more memory than all the rest.
 * `JSON.stringify` takes it for an array.
 */
export interface ClientReports extends Iterable<ClientReport> {
  readonly length: number;
  readonly toJSON: () => ClientReport[];
}

export interface ClientReport extends CoreAssessment {
  readonly client_ip: string;
  readonly total_requests: number;
  readonly pattern: Pattern;
  /** `derived`: the log has no intervals for this client, so the gaps after its failures stand in; the core fields know nothing of them. */
  readonly intervals_source: 'reported' | 'derived' | 'none';
  readonly retries: number;
  /** Undefined without a connection. */
  readonly retries_per_connect?: number;
  /** Connections that were closed within `SHORT_SESSION_MS`. */
  readonly short_sessions: number;
  /** Most requests in a minute that slides in steps of 5 s. */
  readonly peak_requests_per_min: number;
  /** What this client does, and what to change in it. */
  readonly verdict: string;
}

export interface FleetView {
  readonly events: number;
  readonly retries: number;
  /** Epoch milliseconds of the first and the last event in order; undefined without times. */
  readonly from?: number;
  readonly to?: number;
  readonly clients_by_risk: Readonly<Record<CoreAssessment['risk_level'], number>>;
  readonly clients_by_pattern: Readonly<Record<Pattern['name'], number>>;
  readonly synchronisation: Synchronisation;
  readonly peak_retries_per_second: number;
  readonly timeline: Timeline;
  /** On a logarithmic scale, from the first bar that is not empty to the last. */
  readonly interval_histogram: readonly IntervalBar[];
  /** Derived ones are shown where the log reports none at all. */
  readonly interval_histogram_source: 'reported' | 'derived' | 'none';
  /** The fullest {@link MOST_PREFIXES}, by requests. */
  readonly ipv6_prefixes: readonly PrefixReport[];
  readonly ipv6_prefix_count: number;
  /** The {@link MOST_OF_A_KIND} worst of each pattern: by risk, then without jitter before with, then by requests. */
  readonly worst_clients: readonly ClientReport[];
  /** In the same order, of those few whose timeline was kept. */
  readonly client_timelines: readonly ClientTimeline[];
}

export const MOST_PREFIXES = 20;
/** A broken fleet has thousands of the same: its first six say what all do. */
export const MOST_OF_A_KIND = 6;

export interface ClientTimeline {
  readonly client_ip: string;
  readonly pattern: PatternName;
  /** Per bar of the fleet's timeline. */
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
  /** Of clients that came after the first `max_clients`; the fleet's figures hold them, no client's do. */
  readonly events_of_further_clients: number;
  readonly max_clients: number;
  /** Their order is unknown: they count in totals and core fields, and in nothing that depends on order. */
  readonly events_without_time: number;
  readonly events_too_late: number;
  /** How late an event was allowed to be. */
  readonly lateness_ms: number;
  /** It was less, because more events than are held lay in between. */
  readonly lateness_was_cut_short: boolean;
}

/** Names are those of the JSON output. */
export interface LogReport extends Tally {
  readonly name: string;
  /** {@link NO_FORMAT} if it could not be read as a log; its problem says why. */
  readonly format: string;
}

/** {@link LogReport.format} of what is no log. */
export const NO_FORMAT = 'none';

export interface Analysis {
  readonly report: FleetReport;
  readonly logs: readonly LogReport[];
}
