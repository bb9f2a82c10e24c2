/** Builds the report on each client from its statistics, on demand. */

import { assess, assessRisk } from '../patterns/core-rule.ts';
import type { Intervals } from '../patterns/growth.ts';
import { LONGEST, SHORTEST } from '../patterns/interval-code.ts';
import {
  describePattern,
  judgePattern,
  LEAST_INTERVALS,
  LEAST_WAIT_MS,
  type Likeliest,
  PATTERNS,
} from '../patterns/retry-pattern.ts';
import type { ClientSequences, Sequence } from '../statistics/client-sequences.ts';
import type { ClientTotals } from '../statistics/client-totals.ts';
import type { PeakRate } from '../statistics/peak-rate.ts';
import type { ClientReport, ClientReports } from './report.ts';
import { type Obstacle, verdictOf } from './verdict.ts';
import type { JudgedClient } from './worst-clients.ts';

export interface Statistics {
  /** The clients' names in order of first appearance; the index is the client's number. */
  readonly names: readonly string[];
  readonly totals: ClientTotals;
  readonly sequences: ClientSequences;
  readonly peaks: PeakRate;
  readonly threshold: number;
  /** Whether all timestamps of the log are whole seconds. */
  readonly areWholeSeconds: boolean;
}

export interface JudgedClients {
  readonly judged: () => Generator<JudgedClient>;
  readonly reportOn: (client: number) => ClientReport;
  readonly reports: ClientReports;
}

/** If timestamps are whole seconds, a derived wait is accurate to a second at best, which is too coarse for shorter waits. */
const LEAST_COARSE = Math.log2(20_000);
const LEAST_WAIT = Math.log2(LEAST_WAIT_MS);
const UNCLEAR: Likeliest = { name: 'unclear', confidence: 0 };
/** Confidence 1, because it is observed and not inferred. */
const AT_ONCE: Likeliest = { name: 'at_once', confidence: 1 };

export function judgeClients(statistics: Statistics): JudgedClients {
  const { names, totals, sequences, peaks, threshold, areWholeSeconds } = statistics;
  const { length } = names;
  /**
   * Cache by client, because finding a pattern takes longer than everything else: the index in PATTERNS plus 1, or 0 if
   * unknown.
   */
  const patterns = new Uint8Array(length);
  const confidences = new Float64Array(length);

  function likeliestOf(client: number, sequence: Sequence): Likeliest {
    if (patterns[client] === 0) {
      const { name, confidence } = judge(sequence);
      patterns[client] = PATTERNS.indexOf(name) + 1;
      confidences[client] = confidence;
    }
    return { name: PATTERNS[(patterns[client] ?? 0) - 1] ?? 'unclear', confidence: confidences[client] ?? 0 };
  }

  function judge(sequence: Sequence): Likeliest {
    switch (obstacleTo(sequence)) {
      case undefined:
        return judgePattern(sequence.intervals, sequence.source === 'derived');
      case 'at once':
        return judgeAtOnce(sequence);
      default:
        return UNCLEAR;
    }
  }

  function judgeAtOnce({ source, intervals }: Sequence): Likeliest {
    const isDerived = source === 'derived';
    if (!areMostlyBelow(intervals, SHORTEST)) {
      const likeliest = judgePattern(intervals, isDerived);
      if (likeliest.name === 'fixed') {
        return likeliest;
      }
    }
    // Gaps are also this short if the client makes several attempts in parallel.
    return isDerived ? UNCLEAR : AT_ONCE;
  }

  /** @returns why the intervals cannot be judged, or need not be judged */
  function obstacleTo({ source, intervals }: Sequence): Obstacle | undefined {
    if (areWholeSeconds && source === 'derived' && areMostlyBelow(intervals, LEAST_COARSE)) {
      return 'too coarse';
    }
    if (intervals.count >= LEAST_INTERVALS && areMostlyBelow(intervals, LEAST_WAIT)) {
      return 'at once';
    }
    return areMostlyLongest(intervals) ? 'too long' : undefined;
  }

  function* judged(): Generator<JudgedClient> {
    for (let client = 0; client < length; client += 1) {
      const { requests, intervals } = totals.read(client);
      yield {
        client,
        name: names[client] ?? '',
        requests,
        risk: assessRisk({ totalRequests: requests, intervals, threshold }),
        pattern: likeliestOf(client, sequences.read(client)).name,
      };
    }
  }

  function reportOn(client: number): ClientReport {
    const { requests, connects, retries, intervals } = totals.read(client);
    const sequence = sequences.read(client);
    const { avg_retry_interval_ms, has_jitter, is_rate_limited, risk_level } = assess({
      totalRequests: requests,
      intervals,
      threshold,
    });
    const report: Omit<ClientReport, 'verdict'> = {
      client_ip: names[client] ?? '',
      total_requests: requests,
      avg_retry_interval_ms,
      has_jitter,
      is_rate_limited,
      risk_level,
      pattern: describePattern(sequence.intervals, likeliestOf(client, sequence)),
      intervals_source: sequence.source,
      retries,
      ...(connects === 0 ? undefined : { retries_per_connect: Math.round((retries / connects) * 100) / 100 }),
      short_sessions: sequences.shortSessions(client),
      peak_requests_per_min: peaks.read(client),
    };
    const background = { connects, obstacle: obstacleTo(sequence), hasIntervals: intervals.count > 0 };
    return Object.assign(report, { verdict: verdictOf(report, background) });
  }

  function* each(): Generator<ClientReport> {
    for (let client = 0; client < length; client += 1) {
      yield reportOn(client);
    }
  }

  return { judged, reportOn, reports: { length, [Symbol.iterator]: each, toJSON: () => [...each()] } };
}

/** Counts the intervals that are shorter than the bound. @param bound log2 of milliseconds */
function countBelow({ octaves, count }: Intervals, bound: number): number {
  let below = 0;
  for (let index = 0; index < count; index += 1) {
    below += (octaves[index] ?? 0) < bound ? 1 : 0;
  }
  return below;
}

function areMostlyBelow(intervals: Intervals, bound: number): boolean {
  return countBelow(intervals, bound) * 2 > intervals.count;
}

function areMostlyLongest(intervals: Intervals): boolean {
  return countBelow(intervals, LONGEST) * 2 < intervals.count;
}
