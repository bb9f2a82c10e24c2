/**
 * Who reads a log to the same answer: ours as a program calls it, and the core rule over whatever parses JSON. Each is run in
 * a process of its own, as JavaScript: arguments NAME FORM FILE; it prints time, memory and answer.
 */
import { createReadStream, readFileSync } from 'node:fs';
import process, { argv } from 'node:process';
import { createInterface } from 'node:readline';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { analyze, assess, DEFAULT_THRESHOLD, type RiskLevel } from '../analyzer/index.ts';

export type Form = 'ndjson' | 'array';

export interface Measured {
  readonly seconds: number;
  readonly peakMiB: number;
  readonly levels: Readonly<Record<RiskLevel, number>>;
}

interface Event {
  readonly client_ip: string;
  readonly retry_interval_ms?: number;
}

type Levels = Record<RiskLevel, number>;

const CONTENDERS: Readonly<Record<string, (path: string, form: Form) => Promise<Levels>>> = {
  ours: analyzed,
  'JSON.parse': (path, form) => counted(form === 'array' ? parsedWhole(path) : parsedLines(path)),
  'stream-json': (path) => counted(streamed(path)),
};

async function analyzed(path: string): Promise<Levels> {
  const options = { threshold: DEFAULT_THRESHOLD, maxClients: 100_000, latenessMs: 10_000, strict: false };
  const { report } = await analyze([path], options);
  const levels = noLevels();
  for (const { risk_level } of report.analyzed_clients) {
    levels[risk_level] += 1;
  }
  return levels;
}

function* parsedWhole(path: string): Generator<Event> {
  yield* JSON.parse(readFileSync(path, 'utf8'));
}

async function* parsedLines(path: string): AsyncGenerator<Event> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    yield JSON.parse(line);
  }
}

async function* streamed(path: string): AsyncGenerator<Event> {
  const elements: AsyncIterable<{ value: Event }> = createReadStream(path).pipe(streamArray.withParserAsStream());
  for await (const { value } of elements) {
    yield value;
  }
}

/** The core rule, with every interval kept, as one writes it down first. */
async function counted(events: Iterable<Event> | AsyncIterable<Event>): Promise<Levels> {
  const clients = new Map<string, { requests: number; intervals: number[] }>();
  for await (const { client_ip, retry_interval_ms } of events) {
    const client = clients.get(client_ip) ?? { requests: 0, intervals: [] };
    clients.set(client_ip, client);
    client.requests += 1;
    if (retry_interval_ms !== undefined) {
      client.intervals.push(retry_interval_ms);
    }
  }
  const levels = noLevels();
  for (const { requests, intervals } of clients.values()) {
    const count = intervals.length;
    const mean = intervals.reduce((sum, interval) => sum + interval, 0) / count;
    const variance = intervals.reduce((sum, interval) => sum + (interval - mean) ** 2, 0) / count;
    const observed = { count, mean, deviation: Math.sqrt(variance) };
    levels[assess({ totalRequests: requests, intervals: observed, threshold: DEFAULT_THRESHOLD }).risk_level] += 1;
  }
  return levels;
}

function noLevels(): Levels {
  return { LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 };
}

const [, , name = '', form, path = ''] = argv;
const contender = CONTENDERS[name];
if (contender !== undefined && (form === 'array' || form === 'ndjson')) {
  const startedAt = performance.now();
  const levels = await contender(path, form);
  const seconds = (performance.now() - startedAt) / 1_000;
  const measured: Measured = { seconds, peakMiB: process.resourceUsage().maxRSS / 1_024, levels };
  console.log(JSON.stringify(measured));
}
