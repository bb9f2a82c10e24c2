/** `analyze-retries`: options in, a report and an exit code out. */
import type { Readable, Writable } from 'node:stream';
import { CommanderError } from 'commander';
import { type AnalyzeOptions, analyze, type Log } from '../analyze.ts';
import { type Change, type FollowedLog, follow, type Listener } from '../follow.ts';
import { fromStream, openFile } from '../input/byte-source.ts';
import { followFile } from '../input/followed-file.ts';
import { InputError } from '../input/input-error.ts';
import { formatHtml } from '../report/format-html.ts';
import { formatJson } from '../report/format-json.ts';
import { formatTable } from '../report/format-table.ts';
import { countFaults, describeLogs } from '../report/log-notes.ts';
import type { Analysis, FleetReport } from '../report/report.ts';
import { printable } from '../report/report-text.ts';
import { doubtOf, type Fault, hasFault } from './fail-on.ts';
import { createProblemTeller } from './followed-problems.ts';
import { expandInputs } from './input-paths.ts';
import { type CommandOptions, createCommand, STANDARD_INPUT } from './options.ts';
import { insistOnFolder, insistOnOtherFile, isClosedPipe, write } from './output-file.ts';
import { createProgressLine, type Terminal } from './progress-line.ts';
import { sampleLog } from './sample-log.ts';

/** Everything around the program, so that a test runs it as a shell would. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Terminal;
  /** Ends `--follow`. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

type ExitCode = 0 | 1 | 2;

/** @returns 0 done, 1 it could not be done, or not decided, or the usage was wrong, 2 `--fail-on` found a client */
export async function runAnalyzeRetries(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { stdout, stderr } = surroundings;
  let code: ExitCode = 0;
  const command = createCommand(async (options) => {
    code = await run(options, surroundings);
  })
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('More: analyze-retries --help')
    .exitOverride();
  try {
    await command.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // It has said what is wrong, or has shown the help that was asked for.
      return error.exitCode === 0 ? 0 : 1;
    }
    stderr.write(`${error instanceof InputError ? error.message : `It failed: ${inFull(error)}`}\n`);
    return 1;
  }
}

async function run(options: CommandOptions, surroundings: Surroundings): Promise<ExitCode> {
  const { stderr, now } = surroundings;
  await insistOnFolder(options.output);
  const progress = createProgressLine(stderr);
  const settings: AnalyzeOptions = {
    threshold: options.threshold,
    maxClients: options.maxClients,
    latenessMs: options.lateness,
    strict: options.strict === true,
    now,
    onProgress: progress.show,
  };
  const { logs, notes: notesOnNames } = await logsOf(options.input, surroundings);
  await insistOnOtherFile(options.output, logs);
  const analysis = options.follow
    ? await followLog(logs, settings, options, surroundings)
    : await analyze(logs, settings).finally(progress.clear);
  const notes = [...notesOnNames, ...describeLogs(analysis.logs)];
  // Of a followed log, examples were told as they came.
  const untold = options.follow ? [...notesOnNames, ...analysis.logs.flatMap(countFaults)] : notes;
  untold.forEach(createWarner(stderr));
  if (options.output !== undefined || !options.follow) {
    await write(formatted(analysis, notes, options, surroundings), options.output, surroundings.stdout);
  }
  return options.failOn === undefined ? 0 : exitCodeOf(analysis.report, options.failOn, stderr);
}

function exitCodeOf(report: FleetReport, fault: Fault, stderr: Terminal): ExitCode {
  if (hasFault(report, fault)) {
    return 2;
  }
  const doubt = doubtOf(report, fault);
  if (doubt === undefined) {
    return 0;
  }
  stderr.write(`${doubt}\n`);
  return 1;
}

interface Named {
  readonly logs: readonly Log[];
  readonly notes: readonly string[];
}

async function logsOf(input: readonly string[] | undefined, { stdin }: Surroundings): Promise<Named> {
  const standardInput: Log = { name: 'standard input', stream: stdin };
  if (input === undefined) {
    return { logs: [(await bringsSomething(stdin)) ? standardInput : sampleLog()], notes: [] };
  }
  const { paths, notes } = await expandInputs(input);
  return { logs: paths.map((path) => (path === STANDARD_INPUT ? standardInput : path)), notes };
}

/** A terminal is somebody who waits for an answer; and where there is nothing to read, nothing was meant to be. */
async function bringsSomething(stdin: Surroundings['stdin']): Promise<boolean> {
  if (stdin.isTTY === true) {
    return false;
  }
  return await new Promise((resolve, reject) => {
    stdin.once('error', reject);
    stdin.once('end', () => resolve(false));
    stdin.once('readable', () => {
      stdin.off('error', reject);
      // At the end, a stream becomes readable without bytes.
      resolve(stdin.readableLength > 0);
    });
  });
}

async function followLog(
  logs: readonly Log[],
  settings: AnalyzeOptions,
  { format }: CommandOptions,
  surroundings: Surroundings,
): Promise<Analysis> {
  const [log] = logs;
  if (log === undefined || logs.length > 1) {
    throw new InputError(`--follow reads one log, and ${logs.length} were named.`);
  }
  const { stdout, stderr } = surroundings;
  const unheard = new AbortController();
  let failure: unknown;
  // For good: what was written at last may fail after the end.
  stdout.on('error', (error) => {
    failure = isClosedPipe(error) ? failure : error;
    unheard.abort();
  });
  const warn = createWarner(stderr);
  const followed = await openToFollow(log, AbortSignal.any([surroundings.signal, unheard.signal]), warn);
  const toLine = format === 'json' ? (change: Change) => JSON.stringify(change) : describeChange;
  const listener: Listener = {
    onChange(change) {
      if (!unheard.signal.aborted) {
        stdout.write(`${toLine(change)}\n`);
      }
    },
    onProblem: createProblemTeller(followed.name, warn),
  };
  const analysis = await follow(followed, settings, listener).finally(followed.source.close);
  if (failure !== undefined) {
    throw failure;
  }
  return analysis;
}

async function openToFollow(log: Log, signal: AbortSignal, warn: (sentence: string) => void): Promise<FollowedLog> {
  if (typeof log !== 'string') {
    signal.addEventListener('abort', () => log.stream.destroy());
    const source = await fromStream(log.stream);
    // Whoever ends it does not want to hear that it ended before its end.
    return { name: log.name, source: { ...source, trouble: () => (signal.aborted ? undefined : source.trouble()) } };
  }
  // For its sentences on files that are none.
  const { isPacked, close } = await openFile(log);
  await close();
  if (isPacked) {
    throw new InputError(
      `${log} is gzip, which does not grow line by line. To follow its unpacked lines, pipe them in.`,
    );
  }
  const onNewStart = (reason: string) =>
    warn(`${log} ${reason}, and is read from its start. Lines and bytes are counted on.`);
  return { name: log, source: await followFile(log, { signal, onNewStart }) };
}

function describeChange({ changed_at, risk_level_before, client }: Change): string {
  const { client_ip, risk_level, total_requests, avg_retry_interval_ms } = client;
  return `${changed_at} ${client_ip}: ${risk_level_before} -> ${risk_level} (${total_requests} requests, every ${avg_retry_interval_ms} ms)`;
}

function formatted(
  analysis: Analysis,
  notes: readonly string[],
  { format, output }: CommandOptions,
  { stdout }: Surroundings,
): Iterable<string> {
  const { isTTY = false, columns = 100 } = output === undefined ? stdout : {};
  switch (format) {
    case 'json':
      return formatJson(analysis);
    case 'table':
      return [formatTable(analysis.report, { columns, color: isTTY, notes }), '\n'];
    case 'html':
      return [formatHtml(analysis.report, { notes })];
  }
}

/** Sentences show what stands in a log, and a terminal would obey it. */
function createWarner(stderr: Terminal): (sentence: string) => void {
  return (sentence) => {
    stderr.write(`${printable(sentence)}\n`);
  };
}

function inFull(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
