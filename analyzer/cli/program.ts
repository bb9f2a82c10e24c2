/** The command `analyze-retries`: reads the options, writes the report and returns the exit code. */
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
import { countProblems, describeLogs } from '../report/log-notes.ts';
import type { Analysis, FleetReport } from '../report/report.ts';
import { printable } from '../report/report-text.ts';
import { type Fault, hasFault, whyInconclusive } from './fail-on.ts';
import { createProblemPrinter } from './followed-problems.ts';
import { expandInputs } from './input-paths.ts';
import { type CommandOptions, createCommand, STANDARD_INPUT } from './options.ts';
import { isClosedPipe, requireFolder, requireOtherFile, write } from './output-file.ts';
import { createProgressLine, type Terminal } from './progress-line.ts';
import { sampleLog } from './sample-log.ts';

/** The process environment of the command, passed in so that a test can run it as a shell would. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Terminal;
  /** Ends `--follow` when it aborts. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

type ExitCode = 0 | 1 | 2;

/** @returns 0: complete; 1: failed, invalid usage, or `--fail-on` could not be checked; 2: `--fail-on` found a client */
export async function runAnalyzeRetries(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { stdout, stderr } = surroundings;
  let code: ExitCode = 0;
  const command = createCommand(async (options) => {
    code = await run(options, surroundings);
  })
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('For help: analyze-retries --help')
    .exitOverride();
  try {
    await command.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already printed the error message or the requested help.
      return error.exitCode === 0 ? 0 : 1;
    }
    stderr.write(`${error instanceof InputError ? error.message : `Unexpected error: ${withStack(error)}`}\n`);
    return 1;
  }
}

async function run(options: CommandOptions, surroundings: Surroundings): Promise<ExitCode> {
  const { stderr, now } = surroundings;
  await requireFolder(options.output);
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
  await requireOtherFile(options.output, logs);
  const analysis = options.follow
    ? await followLog(logs, settings, options, surroundings)
    : await analyze(logs, settings).finally(progress.clear);
  const notes = [...notesOnNames, ...describeLogs(analysis.logs)];
  // With --follow, the examples were printed as they occurred.
  const warnings = options.follow ? [...notesOnNames, ...analysis.logs.flatMap(countProblems)] : notes;
  warnings.forEach(createWarner(stderr));
  if (options.output !== undefined || !options.follow) {
    await write(formatted(analysis, notes, options, surroundings), options.output, surroundings.stdout);
  }
  return options.failOn === undefined ? 0 : exitCodeOf(analysis.report, options.failOn, stderr);
}

function exitCodeOf(report: FleetReport, fault: Fault, stderr: Terminal): ExitCode {
  if (hasFault(report, fault)) {
    return 2;
  }
  const reason = whyInconclusive(report, fault);
  if (reason === undefined) {
    return 0;
  }
  stderr.write(`${reason}\n`);
  return 1;
}

interface Named {
  readonly logs: readonly Log[];
  readonly notes: readonly string[];
}

async function logsOf(input: readonly string[] | undefined, { stdin }: Surroundings): Promise<Named> {
  const standardInput: Log = { name: 'standard input', stream: stdin };
  if (input === undefined) {
    return { logs: [(await hasData(stdin)) ? standardInput : sampleLog()], notes: [] };
  }
  const { paths, notes } = await expandInputs(input);
  return { logs: paths.map((path) => (path === STANDARD_INPUT ? standardInput : path)), notes };
}

/** A terminal counts as empty, so that the command does not wait for somebody to type a log. */
async function hasData(stdin: Surroundings['stdin']): Promise<boolean> {
  if (stdin.isTTY === true) {
    return false;
  }
  return await new Promise((resolve, reject) => {
    stdin.once('error', reject);
    stdin.once('end', () => resolve(false));
    stdin.once('readable', () => {
      stdin.off('error', reject);
      // A stream also becomes readable at its end, but without bytes.
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
    throw new InputError(`--follow reads exactly one log, but ${logs.length} were named. Name one log with --input.`);
  }
  const { stdout, stderr } = surroundings;
  const outputClosed = new AbortController();
  let failure: unknown;
  // The handler stays installed, because the last write may fail after the end.
  stdout.on('error', (error) => {
    failure = isClosedPipe(error) ? failure : error;
    outputClosed.abort();
  });
  const warn = createWarner(stderr);
  const followed = await openToFollow(log, AbortSignal.any([surroundings.signal, outputClosed.signal]), warn);
  const toLine = format === 'json' ? (change: Change) => JSON.stringify(change) : describeChange;
  const listener: Listener = {
    onChange(change) {
      if (!outputClosed.signal.aborted) {
        stdout.write(`${toLine(change)}\n`);
      }
    },
    onProblem: createProblemPrinter(followed.name, warn),
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
    // If the user interrupts the command, the early end of the stream is not an error.
    return {
      name: log.name,
      source: { ...source, readError: () => (signal.aborted ? undefined : source.readError()) },
    };
  }
  // Opened once for the error messages of openFile, such as the one for a folder.
  const { isCompressed, close } = await openFile(log);
  await close();
  if (isCompressed) {
    throw new InputError(
      `${log} is gzip-compressed, but --follow needs a file that grows line by line. Decompress it and pipe the lines to --follow.`,
    );
  }
  const onNewStart = (reason: string) =>
    warn(`${log} ${reason}. Reading starts again at the beginning; line and byte numbers continue.`);
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

/** Messages quote the log, which may contain escape sequences that a terminal would execute. */
function createWarner(stderr: Terminal): (sentence: string) => void {
  return (sentence) => {
    stderr.write(`${printable(sentence)}\n`);
  };
}

function withStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
