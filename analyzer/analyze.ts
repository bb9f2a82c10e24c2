/**
 * From logs to a report: each log is read once, in the order given, and its events are counted as they come. Memory does
 * not grow with the size of the logs, nor beyond `maxClients` with the number of clients.
 */
import type { Readable } from 'node:stream';
import { createFleet, type Fleet } from './fleet.ts';
import type { FleetOptions } from './fleet-options.ts';
import { FORMAT_NAMES } from './formats/detect-format.ts';
import { type ByteSource, fromStream, openFile } from './input/byte-source.ts';
import { InputError } from './input/input-error.ts';
import { createInlineEngine, createThreadedEngine, type Engine } from './input/log-engine.ts';
import { addTallies, describeProblem, NOTHING, type Tally } from './parsing/problem.ts';
import { type Analysis, type LogReport, NO_FORMAT } from './report/report.ts';

/** A file's path, or a stream and the name to call it by. */
export type Log = string | { readonly name: string; readonly stream: Readable };

export interface AnalyzeOptions extends FleetOptions {
  /**
   * Ends at the first problem, with an {@link InputError}.
   * @default false
   */
  readonly strict?: boolean;
  /** Told after each chunk. */
  readonly onProgress?: (done: ProgressOfLog) => void;
}

export interface ProgressOfLog {
  readonly name: string;
  /** Bytes of the log as it lies there: packed, where it is packed. */
  readonly taken: number;
  /** Of the log; undefined for a stream. */
  readonly size?: number;
}

/** Below, starting threads takes longer than parsing. */
const WORTH_THREADS = 1 << 22;
const WORTH_THREADS_PACKED = 1 << 18;

/**
 * What is no log among others is left out.
 * @throws InputError for a file that cannot be read, where there is no log at all, and with `strict` for the first problem;
 *   RangeError for an option that is none
 */
export async function analyze(logs: readonly Log[], options: AnalyzeOptions = {}): Promise<Analysis> {
  const fleet = createFleet(options);
  const engines = createEngines();
  try {
    const reports: LogReport[] = [];
    for (const log of logs) {
      reports.push(await analyzeLog(log, fleet, engines, options));
    }
    insistOnOne(reports);
    return { report: fleet.report(), logs: reports };
  } finally {
    await engines.close();
  }
}

async function analyzeLog(log: Log, fleet: Fleet, engines: Engines, options: AnalyzeOptions): Promise<LogReport> {
  const name = typeof log === 'string' ? log : log.name;
  const source = await (typeof log === 'string' ? openFile(log) : fromStream(log.stream));
  try {
    let tally = NOTHING;
    const format = await engines.for(source).run(source, { isFollowed: false, name }, (events, chunk, taken) => {
      tally = addTallies(tally, chunk);
      insistOnSoundness(tally, name, options.strict);
      fleet.add(events);
      options.onProgress?.({
        name,
        taken,
        ...(source.size === undefined ? {} : { size: source.size }),
      });
    });
    // Before the others: damaged data may be unpacked to thousands of lines that are none, and this is their cause.
    tally = addTallies(troubleOf(source), tally);
    insistOnSoundness(tally, name, options.strict);
    return { name, format: FORMAT_NAMES[format], ...tally };
  } catch (error) {
    if (options.strict || !(error instanceof InputError)) {
      throw error;
    }
    const problem = { offset: 0, complaint: error.message, value: '' };
    return { name, format: NO_FORMAT, ...NOTHING, rejected: 1, problems: [problem] };
  } finally {
    await source.close();
  }
}

function insistOnOne(reports: readonly LogReport[]): void {
  if (reports.length > 0 && reports.every(({ format }) => format === NO_FORMAT)) {
    throw new InputError(reports.flatMap(({ problems }) => problems.map(({ complaint }) => complaint)).join('\n'));
  }
}

export function insistOnSoundness({ problems: [problem] }: Tally, name: string, strict = false): void {
  if (strict && problem !== undefined) {
    throw new InputError(`${describeProblem(problem, name)}. With --strict, that ends the analysis.`);
  }
}

/** What ended the log before its end. */
export function troubleOf(source: ByteSource): Tally {
  const complaint = source.trouble();
  return complaint === undefined
    ? NOTHING
    : { ...NOTHING, rejected: 1, problems: [{ offset: source.taken(), complaint, value: '' }] };
}

interface Engines {
  readonly for: (source: ByteSource) => Engine;
  readonly close: () => Promise<unknown>;
}

/** Started when they are first needed, and used for one log after the other. */
function createEngines(): Engines {
  let inline: Engine | undefined;
  let threaded: Engine | undefined;
  return {
    for({ size = Number.POSITIVE_INFINITY, isPacked }) {
      if (size < (isPacked ? WORTH_THREADS_PACKED : WORTH_THREADS)) {
        inline ??= createInlineEngine();
        return inline;
      }
      threaded ??= createThreadedEngine();
      return threaded;
    },
    close: () => Promise.all([inline?.close(), threaded?.close()]),
  };
}
