/** Counts the fleet's clients by risk, pattern and IPv6 prefix, in one pass that keeps only the worst clients. */
import type { RiskLevel } from '../patterns/core-rule.ts';
import { JITTER_OF, PATTERNS, type PatternName } from '../patterns/retry-pattern.ts';
import { ipv6Prefix } from './ipv6-prefix.ts';
import { type FleetView, MOST_OF_A_KIND, MOST_PREFIXES, type PrefixReport } from './report.ts';
import { createWorstClients, type JudgedClient } from './worst-clients.ts';

interface Summary
  extends Pick<FleetView, 'clients_by_risk' | 'clients_by_pattern' | 'ipv6_prefixes' | 'ipv6_prefix_count'> {
  readonly worst: readonly JudgedClient[];
  /** The worst clients among those with a timeline. */
  readonly drawn: readonly JudgedClient[];
}
type Prefix = { -readonly [Field in keyof Omit<PrefixReport, 'prefix'>]: number };

export interface SummaryOptions {
  readonly ipv6Prefix: number;
  readonly hasTimeline: (client: number) => boolean;
}

export function summarise(clients: Iterable<JudgedClient>, { ipv6Prefix: bits, hasTimeline }: SummaryOptions): Summary {
  const risks: Record<RiskLevel, number> = { CRITICAL: 0, HIGH: 0, MEDIUM: 0, LOW: 0 };
  const patterns = Object.fromEntries(PATTERNS.map((name) => [name, 0])) as Record<PatternName, number>;
  const prefixes = new Map<string, Prefix>();
  const worst = createWorstClients(MOST_OF_A_KIND);
  const drawn = createWorstClients(MOST_OF_A_KIND);
  for (const client of clients) {
    risks[client.risk] += 1;
    patterns[client.pattern] += 1;
    addToPrefix(prefixes, client, bits);
    worst.add(client);
    if (hasTimeline(client.client)) {
      drawn.add(client);
    }
  }
  return {
    clients_by_risk: risks,
    clients_by_pattern: patterns,
    ipv6_prefixes: [...prefixes]
      .map(([prefix, figures]) => ({ prefix, ...figures }))
      .sort((one, other) => other.total_requests - one.total_requests)
      .slice(0, MOST_PREFIXES),
    ipv6_prefix_count: prefixes.size,
    worst: worst.read(),
    drawn: drawn.read(),
  };
}

function addToPrefix(prefixes: Map<string, Prefix>, client: JudgedClient, bits: number): void {
  const prefix = ipv6Prefix(client.name, bits);
  if (prefix === undefined) {
    return;
  }
  let figures = prefixes.get(prefix);
  if (figures === undefined) {
    figures = { clients: 0, total_requests: 0, clients_without_jitter: 0 };
    prefixes.set(prefix, figures);
  }
  figures.clients += 1;
  figures.total_requests += client.requests;
  figures.clients_without_jitter += JITTER_OF[client.pattern] === 'no' ? 1 : 0;
}
