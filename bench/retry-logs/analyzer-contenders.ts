/**
 * The programs that the benchmark compares: our analyzer, called from a program, and the core rule on top of other JSON
 * parsers. All give the same result. Each runs in its own process, as JavaScript, with the arguments NAME FORM FILE,
 * and prints its time, memory use and result.
 */
import { Buffer } from 'node:buffer';
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs';
import process, { argv } from 'node:process';
import { finished } from 'node:stream/promises';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { analyze, assess, DEFAULT_THRESHOLD, type RiskLevel } from '../../analyzer/index.ts';

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
type Take = (event: Event) => void;

/** Number of bytes that a contender reads at once. */
const READ_BYTES = 1 << 20;

const CONTENDERS: Readonly<Record<string, (path: string, form: Form) => Promise<Levels>>> = {
  ours: analyzed,
  'JSON.parse': (path, form) => counted((take) => (form === 'array' ? parseWhole : parseLines)(path, take)),
  'stream-json': (path) => counted((take) => stream(path, take)),
};

async function analyzed(path: string): Promise<Levels> {
  const options = { threshold: DEFAULT_THRESHOLD, maxClients: 100_000, latenessMs: 10_000, strict: false };
  // The fleet's report judges every client. The reports on single clients are built only on demand.
  const { report } = await analyze([path], options);
  return { ...noLevels(), ...report.fleet.clients_by_risk };
}

function parseWhole(path: string, take: Take): void {
  for (const event of JSON.parse(readFileSync(path, 'utf8'))) {
    take(event);
  }
}

/** Does not use `readline`, which takes twice as long. */
function parseLines(path: string, take: Take): void {
  const file = openSync(path, 'r');
  const room = Buffer.alloc(READ_BYTES);
  let length = 0;
  for (let count = -1; count !== 0; ) {
    count = readSync(file, room, length, room.length - length, null);
    const bytes = room.subarray(0, length + count);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      take(JSON.parse(bytes.toString('utf8', from, end)));
      from = end + 1;
    }
    length = bytes.length - from;
    bytes.copyWithin(0, from);
  }
  closeSync(file);
}

async function stream(path: string, take: Take): Promise<void> {
  // Whole values only, and large reads: together, they make it twice as fast.
  const parser = streamArray.withParserAsStream({ packValues: true, streamValues: false });
  const elements = createReadStream(path, { highWaterMark: READ_BYTES }).pipe(parser);
  elements.on('data', ({ value }: { value: Event }) => take(value));
  await finished(elements);
}

/** The core rule in its simplest form, which keeps every interval. @param read passes on every event */
async function counted(read: (take: Take) => unknown): Promise<Levels> {
  const clients = new Map<string, { requests: number; intervals: number[] }>();
  await read(({ client_ip, retry_interval_ms }) => {
    const client = clients.get(client_ip) ?? { requests: 0, intervals: [] };
    clients.set(client_ip, client);
    client.requests += 1;
    if (retry_interval_ms !== undefined) {
      client.intervals.push(retry_interval_ms);
    }
  });
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
