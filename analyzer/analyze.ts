/**
 * Analyses logs and returns a report. Each log is read once, in the order given, and its events are counted as they
 * arrive. Memory use does not depend on the size of the logs, and is bounded by `maxClients`.
 */
import type { Readable } from 'node:stream';
import { createFleet, type Fleet } from './fleet.ts';
import type { FleetOptions } from './fleet-options.ts';
import { FORMAT_NAMES } from './formats/detect-format.ts';
import { type ByteSource, fromStream, openFile } from './input/byte-source.ts';
import { InputError } from './input/input-error.ts';
import { createInlineEngine, createThreadedEngine, type Engine } from './input/log-engine.ts';
import { addTallies, describeProblem, EMPTY_TALLY, type Tally } from './parsing/problem.ts';
import { type Analysis, type LogReport, NO_FORMAT } from './report/report.ts';

/** The path of a file, or a stream with a name to use in messages. */
export type Log = string | { readonly name: string; readonly stream: Readable };

export interface AnalyzeOptions extends FleetOptions {
  /**
   * Stops at the first problem and throws an {@link InputError}.
   * @default false
   */
  readonly strict?: boolean;
  /** Called after each chunk. */
  readonly onProgress?: (done: ProgressOfLog) => void;
}

export interface ProgressOfLog {
  readonly name: string;
  /** Bytes read so far; compressed bytes if the log is compressed. */
  readonly taken: number;
  /** Size of the log in bytes; undefined for a stream. */
  readonly size?: number;
}

/** Bytes. For a smaller log, starting a thread takes longer than parsing. */
const WORTH_A_THREAD = 1 << 22;
const WORTH_A_THREAD_COMPRESSED = 1 << 18;

/**
 * Analyses logs and reports how each client and the fleet behave. A file that is not a log is left out if at least one
 * other file is a log.
 * @throws InputError if a file cannot be read, if no file is a log, and with `strict` at the first problem;
 *   RangeError if an option is invalid
 */
export async function analyze(logs: readonly Log[], options: AnalyzeOptions = {}): Promise<Analysis> {
  const fleet = createFleet(options);
  const engines = createEngines();
  try {
    const reports: LogReport[] = [];
    for (const log of logs) {
      reports.push(await analyzeLog(log, fleet, engines, options));
    }
    requireOneLog(reports);
    return { report: fleet.report(), logs: reports };
  } finally {
    await engines.close();
  }
}

async function analyzeLog(log: Log, fleet: Fleet, engines: Engines, options: AnalyzeOptions): Promise<LogReport> {
  const name = typeof log === 'string' ? log : log.name;
  const source = await (typeof log === 'string' ? openFile(log) : fromStream(log.stream));
  try {
    let tally = EMPTY_TALLY;
    const format = await engines.for(source).run(source, { isFollowed: false, name }, (events, chunk, taken) => {
      tally = addTallies(tally, chunk);
      throwIfStrict(tally, name, options.strict);
      fleet.add(events);
      options.onProgress?.({
        name,
        taken,
        ...(source.size === undefined ? {} : { size: source.size }),
      });
    });
    // The read error comes first: damaged data may decompress to thousands of invalid lines, and it is their cause.
    tally = addTallies(tallyOfReadError(source), tally);
    throwIfStrict(tally, name, options.strict);
    return { name, format: FORMAT_NAMES[format], ...tally };
  } catch (error) {
    if (options.strict || !(error instanceof InputError)) {
      throw error;
    }
    const problem = { offset: 0, complaint: error.message, value: '' };
    return { name, format: NO_FORMAT, ...EMPTY_TALLY, rejected: 1, problems: [problem] };
  } finally {
    await source.close();
  }
}

function requireOneLog(reports: readonly LogReport[]): void {
  if (reports.length > 0 && reports.every(({ format }) => format === NO_FORMAT)) {
    throw new InputError(reports.flatMap(({ problems }) => problems.map(({ complaint }) => complaint)).join('\n'));
  }
}

export function throwIfStrict({ problems: [problem] }: Tally, name: string, strict = false): void {
  if (strict && problem !== undefined) {
    throw new InputError(`${describeProblem(problem, name)}. The analysis stopped here because --strict is set.`);
  }
}

/** Counts the error that ended reading early, if there was one. */
export function tallyOfReadError(source: ByteSource): Tally {
  const complaint = source.readError();
  return complaint === undefined
    ? EMPTY_TALLY
    : { ...EMPTY_TALLY, rejected: 1, problems: [{ offset: source.taken(), complaint, value: '' }] };
}

interface Engines {
  readonly for: (source: ByteSource) => Engine;
  readonly close: () => Promise<unknown>;
}

/** Each engine is created when it is first needed, and reused for the logs that follow. */
function createEngines(): Engines {
  let inline: Engine | undefined;
  let threaded: Engine | undefined;
  return {
    for({ size = Number.POSITIVE_INFINITY, isCompressed }) {
      if (size < (isCompressed ? WORTH_A_THREAD_COMPRESSED : WORTH_A_THREAD)) {
        inline ??= createInlineEngine();
        return inline;
      }
      threaded ??= createThreadedEngine();
      return threaded;
    },
    close: () => Promise.all([inline?.close(), threaded?.close()]),
  };
}
