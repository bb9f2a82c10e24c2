/** What the statistics say in the end. Names are those of the JSON output. */
import type { CoreAssessment } from './core-rule.ts';

export interface FleetReport {
  /** ISO 8601, UTC. */
  readonly evaluated_at: string;
  readonly threshold_requests_per_min: number;
  /** In order of first appearance. */
  readonly analyzed_clients: ClientReports;
  readonly left_out: { readonly events_of_further_clients: number; readonly max_clients: number };
}

export interface ClientReports extends Iterable<ClientReport> {
  readonly length: number;
  readonly toJSON: () => ClientReport[];
}

export interface ClientReport extends CoreAssessment {
  readonly client_ip: string;
  readonly total_requests: number;
}
