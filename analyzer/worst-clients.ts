/** The order of badness, and the few worst of many without keeping the rest. */
import type { RiskLevel } from './core-rule.ts';
import type { ClientReport } from './report.ts';
import { hasNoJitter } from './retry-pattern.ts';

const RISKS: Record<RiskLevel, number> = { CRITICAL: 0, HIGH: 1, MEDIUM: 2, LOW: 3 };

/** Negative if `one` is worse: by risk, then without jitter before with, then by requests. */
export function byBadness(one: ClientReport, other: ClientReport): number {
  return (
    RISKS[one.risk_level] - RISKS[other.risk_level] ||
    faultOf(one) - faultOf(other) ||
    other.total_requests - one.total_requests
  );
}

/** Puts a client among the worst, at most so many, the worst first; of equals the one that came first. */
export function keepWorst(worst: ClientReport[], client: ClientReport, most: number): void {
  const last = worst[most - 1];
  if (last === undefined || byBadness(client, last) < 0) {
    worst.splice(worst.findLastIndex((other) => byBadness(other, client) <= 0) + 1, 0, client);
    worst.length = Math.min(worst.length, most);
  }
}

function faultOf({ pattern }: ClientReport): number {
  if (hasNoJitter(pattern.name)) {
    return 0;
  }
  return pattern.name === 'weak_jitter' ? 1 : 2;
}
