/** Orders clients from worst to best, and keeps only the few worst of each pattern. */
import type { RiskLevel } from '../patterns/core-rule.ts';
import { JITTER_OF, type JitterOfPattern, type PatternName } from '../patterns/retry-pattern.ts';

const RISKS: Record<RiskLevel, number> = { CRITICAL: 0, HIGH: 1, MEDIUM: 2, LOW: 3 };
const FAULTS: Record<JitterOfPattern, number> = { no: 0, weak: 1, yes: 2, unknown: 2 };

/** The result for a client before its report is built. */
export interface JudgedClient {
  /** The client's number, in order of first appearance. */
  readonly client: number;
  readonly name: string;
  readonly requests: number;
  readonly risk: RiskLevel;
  readonly pattern: PatternName;
}

/** Negative if `one` is worse. Compares risk, then jitter (none is worse), then the number of requests. */
function byBadness(one: JudgedClient, other: JudgedClient): number {
  return RISKS[one.risk] - RISKS[other.risk] || faultOf(one) - faultOf(other) || other.requests - one.requests;
}

export interface WorstClients {
  readonly add: (client: JudgedClient) => void;
  /** Returns the worst first; among equals, the one that was added first. */
  readonly read: () => JudgedClient[];
}

/** @param most number of clients to keep per pattern */
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
