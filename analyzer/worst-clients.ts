/** The order of badness, and the few worst of each kind without keeping the rest. */
import type { RiskLevel } from './core-rule.ts';
import type { ClientReport } from './report.ts';
import { hasNoJitter, type PatternName } from './retry-pattern.ts';

const RISKS: Record<RiskLevel, number> = { CRITICAL: 0, HIGH: 1, MEDIUM: 2, LOW: 3 };

/** Negative if `one` is worse: by risk, then without jitter before with, then by requests. */
export function byBadness(one: ClientReport, other: ClientReport): number {
  return (
    RISKS[one.risk_level] - RISKS[other.risk_level] ||
    faultOf(one) - faultOf(other) ||
    other.total_requests - one.total_requests
  );
}

export interface WorstClients {
  readonly add: (client: ClientReport) => void;
  /** The worst first; of equals the one that came first. */
  readonly read: () => ClientReport[];
}

/** @param most of each pattern */
export function createWorstClients(most: number): WorstClients {
  const worst = new Map<PatternName, ClientReport[]>();
  return {
    add(client) {
      const alike = worst.get(client.pattern.name) ?? [];
      worst.set(client.pattern.name, alike);
      const last = alike[most - 1];
      if (last === undefined || byBadness(client, last) < 0) {
        alike.splice(alike.findLastIndex((other) => byBadness(other, client) <= 0) + 1, 0, client);
        alike.length = Math.min(alike.length, most);
      }
    },
    read: () => [...worst.values()].flat().sort(byBadness),
  };
}

function faultOf({ pattern }: ClientReport): number {
  if (hasNoJitter(pattern.name)) {
    return 0;
  }
  return pattern.name === 'weak_jitter' ? 1 : 2;
}
