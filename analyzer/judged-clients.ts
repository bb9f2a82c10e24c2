/** What is said of each client in the end, made from its statistics when it is asked for. */
import type { ClientSequences, Sequence } from './client-sequences.ts';
import type { ClientTotals } from './client-totals.ts';
import { assess, assessRisk } from './core-rule.ts';
import type { Intervals } from './growth.ts';
import type { PeakRate } from './peak-rate.ts';
import type { ClientReport, ClientReports } from './report.ts';
import { findPattern, type Pattern } from './retry-pattern.ts';
import { verdictOf } from './verdict.ts';
import type { JudgedClient } from './worst-clients.ts';

export interface Statistics {
  /** By the clients' numbers, which are in order of first appearance. */
  readonly names: readonly string[];
  readonly totals: ClientTotals;
  readonly sequences: ClientSequences;
  readonly peaks: PeakRate;
  readonly threshold: number;
  /** All of the log's times are. */
  readonly areWholeSeconds: boolean;
}

export interface JudgedClients {
  readonly judged: () => Generator<JudgedClient>;
  readonly reportOn: (client: number) => ClientReport;
  readonly reports: ClientReports;
}

/** How a client waits between its tries. */
interface Waits {
  readonly source: Sequence['source'];
  /** The log's times are whole seconds and the gaps too short for them. */
  readonly isTooCoarse: boolean;
  readonly pattern: Pattern;
}

/** A derived wait is known to a second at best where the log's times are whole seconds: too coarse below this. */
const LEAST_COARSE_MS = 20_000;

export function judgeClients(statistics: Statistics): JudgedClients {
  const { names, totals, sequences, peaks, threshold, areWholeSeconds } = statistics;
  const { length } = names;
  /** To find a pattern takes longer than all the rest. */
  const waits: Waits[] = [];

  function waitsOf(client: number): Waits {
    const known = waits[client];
    if (known !== undefined) {
      return known;
    }
    const { intervals, source } = sequences.read(client);
    const isTooCoarse = areWholeSeconds && source === 'derived' && areShort(intervals);
    const pattern: Pattern = isTooCoarse
      ? { name: 'unclear', confidence: 0, intervals: intervals.count }
      : findPattern(intervals);
    const found = { source, isTooCoarse, pattern };
    waits[client] = found;
    return found;
  }

  function* judged(): Generator<JudgedClient> {
    for (let client = 0; client < length; client += 1) {
      const { requests, intervals } = totals.read(client);
      yield {
        client,
        name: names[client] ?? '',
        requests,
        risk: assessRisk({ totalRequests: requests, intervals, threshold }),
        pattern: waitsOf(client).pattern.name,
      };
    }
  }

  function reportOn(client: number): ClientReport {
    const { requests, connects, retries, intervals } = totals.read(client);
    const { source, isTooCoarse, pattern } = waitsOf(client);
    const report: Omit<ClientReport, 'verdict'> = {
      client_ip: names[client] ?? '',
      total_requests: requests,
      ...assess({ totalRequests: requests, intervals, threshold }),
      pattern,
      intervals_source: source,
      retries,
      ...(connects === 0 ? {} : { retries_per_connect: Math.round((retries / connects) * 100) / 100 }),
      short_sessions: sequences.shortSessions(client),
      peak_requests_per_min: peaks.read(client),
    };
    return { ...report, verdict: verdictOf({ ...report, connects, isTooCoarse }) };
  }

  function* each(): Generator<ClientReport> {
    for (let client = 0; client < length; client += 1) {
      yield reportOn(client);
    }
  }

  return { judged, reportOn, reports: { length, [Symbol.iterator]: each, toJSON: () => [...each()] } };
}

/** Whether more than half of the gaps are too short to be told apart by whole seconds. */
function areShort({ octaves, count }: Intervals): boolean {
  const short = octaves.subarray(0, count).filter((value) => value < Math.log2(LEAST_COARSE_MS));
  return short.length * 2 > count;
}
