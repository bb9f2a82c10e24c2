/**
 * The incident against every contender, in figures. docs/incident.json holds them; the picture and the table in docs/why.md
 * are made from them.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { parsePolicies, type Table } from '../../limiter/index.ts';
import { contenders } from './contenders.ts';
import { EVERY_MS, type IncidentStep, replayIncident } from './incident.ts';

export interface IncidentReport {
  readonly engine: string;
  readonly window: string;
  readonly windows: number;
  readonly askedEverySeconds: number;
  readonly results: readonly ContenderResult[];
}

export interface ContenderResult {
  readonly name: string;
  readonly admittedPerWindow: readonly number[];
  readonly highestCounter: number;
  /** UpdateItem requests. */
  readonly writes: number;
  /** `ended: false`: it was still waiting when the replay ended. */
  readonly longestWait: { readonly seconds: number; readonly ended: boolean };
  /** Seconds from the start, and the counter at that time: only the points at which the line changes direction. */
  readonly counter: readonly (readonly [seconds: number, counter: number])[];
}

export interface SimulationOptions {
  readonly table: Table;
  readonly engine: string;
  readonly windows: number;
  /** As in the text of a limit. @default 1h */
  readonly window?: string;
  /** Called after every call. */
  readonly onAsk?: (contender: string, asked: number, of: number) => void;
}

const STARTS_AT = Date.UTC(2026, 0, 1, 12);

export async function simulateIncident(options: SimulationOptions): Promise<IncidentReport> {
  const { table, engine, windows, window = '1h', onAsk } = options;
  const windowMs = parsePolicies(`1/${window}`)[0]?.windowMs ?? 0;
  const calls = Math.ceil((windows * windowMs) / EVERY_MS);
  const takeWrites = countWrites(table.client);
  const results: ContenderResult[] = [];
  for (const { name, on } of contenders(window)) {
    const ask = on(table);
    let asked = 0;
    const incident = await replayIncident({
      startsAt: STARTS_AT,
      windowMs,
      windows,
      ask: async (now) => {
        const answer = await ask(now);
        asked += 1;
        onAsk?.(name, asked, calls);
        return answer;
      },
    });
    const { steps, admittedPerWindow, highestCounter, longestWait } = incident;
    results.push({
      name,
      admittedPerWindow,
      highestCounter,
      writes: takeWrites(),
      longestWait: { seconds: longestWait.ms / 1_000, ended: longestWait.ended },
      counter: corners(steps),
    });
  }
  return { engine, window, windows, askedEverySeconds: EVERY_MS / 1_000, results };
}

/**
 * Counts every UpdateItem that is sent, repeats included: a refused one costs as much as any other. A DeleteItem is not counted:
 * only add-then-compare sends them, in place of DynamoDB's TTL, which deletes free of charge.
 */
function countWrites(client: DynamoDBClient): () => number {
  let writes = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        writes += commandName === 'UpdateItemCommand' ? 1 : 0;
        return next(args);
      },
    { step: 'finalizeRequest', priority: 'low' },
  );
  return () => {
    const taken = writes;
    writes = 0;
    return taken;
  };
}

/** Thousands of calls make a few straight lines. Keeps the ends of each line and leaves out the points between them. */
function corners(steps: readonly IncidentStep[]): [number, number][] {
  const rise = (from = 0, to = 0) => (steps[to]?.counter ?? 0) - (steps[from]?.counter ?? 0);
  return steps.flatMap(({ at, counter }, index): [number, number][] => {
    const isInside = index > 0 && index < steps.length - 1;
    return isInside && rise(index - 1, index) === rise(index, index + 1) ? [] : [[(at - STARTS_AT) / 1_000, counter]];
  });
}
