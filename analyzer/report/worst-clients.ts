/** The order of badness, and the few worst of each kind without keeping the rest. */
import type { RiskLevel } from '../patterns/core-rule.ts';
import { JITTER_OF, type JitterOfPattern, type PatternName } from '../patterns/retry-pattern.ts';

const RISKS: Record<RiskLevel, number> = { CRITICAL: 0, HIGH: 1, MEDIUM: 2, LOW: 3 };
const FAULTS: Record<JitterOfPattern, number> = { no: 0, weak: 1, yes: 2, unknown: 2 };

/** What is known of each client before its report is made. */
export interface JudgedClient {
  /** Its place among the clients, in order of first appearance. */
  readonly client: number;
  readonly name: string;
  readonly requests: number;
  readonly risk: RiskLevel;
  readonly pattern: PatternName;
}

/** Negative if `one` is worse: by risk, then without jitter before with, then by requests. */
function byBadness(one: JudgedClient, other: JudgedClient): number {
  return RISKS[one.risk] - RISKS[other.risk] || faultOf(one) - faultOf(other) || other.requests - one.requests;
}

export interface WorstClients {
  readonly add: (client: JudgedClient) => void;
  /** The worst first; of equals the one that came first. */
  readonly read: () => JudgedClient[];
}

/** @param most of each pattern */
export function createWorstClients(most: number): WorstClients {
  const worst = new Map<PatternName, JudgedClient[]>();
  return {
    add(client) {
      let alike = worst.get(client.pattern);
      if (alike === undefined) {
        alike = [];
        worst.set(client.pattern, alike);
      }
      const last = alike[most - 1];
      if (last === undefined || byBadness(client, last) < 0) {
        alike.splice(alike.findLastIndex((other) => byBadness(other, client) <= 0) + 1, 0, client);
        alike.length = Math.min(alike.length, most);
      }
    },
    read: () => [...worst.values()].flat().sort(byBadness),
  };
}

function faultOf({ pattern }: JudgedClient): number {
  return FAULTS[JITTER_OF[pattern]];
}
