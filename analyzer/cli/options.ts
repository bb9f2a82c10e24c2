/** The options of `analyze-retries` and its help text. */
import { Command, Option } from 'commander';
import { DEFAULT_CLIENTS, DEFAULT_LATENESS_MS, MOST_CLIENTS } from '../fleet-options.ts';
import { FORMAT_DESCRIPTIONS, FORMAT_NAMES, type Format } from '../formats/detect-format.ts';
import { DEFAULT_THRESHOLD } from '../patterns/core-rule.ts';
import type { Fault } from './fail-on.ts';
import { collectPaths, countUpTo, parseDuration, parseFault } from './option-parsers.ts';

const OUTPUT_FORMATS = ['json', 'table', 'html'] as const;

export interface CommandOptions {
  readonly input?: readonly string[];
  readonly threshold: number;
  readonly format: (typeof OUTPUT_FORMATS)[number];
  readonly output?: string;
  readonly strict?: true;
  readonly maxClients: number;
  /** Milliseconds. */
  readonly lateness: number;
  readonly failOn?: Fault;
  readonly follow?: true;
}

/** The file name that means standard input, as in other commands. */
export const STANDARD_INPUT = '-';

const HIGHEST_THRESHOLD = 999_999_999;

/** @param run called with the options if all of them are valid */
export function createCommand(run: (options: CommandOptions) => Promise<void>): Command {
  return new Command('analyze-retries')
    .description('Find the clients that retry without jitter, in connection logs of any size.')
    .option(
      '--input <FILE...>',
      'read these logs; a pattern must be in quotes, and - is standard input (default: standard input if it has data, otherwise a small built-in sample)',
      collectPaths,
    )
    .option(
      '--threshold <N>',
      'count a client as rate limited if it has at least this many requests',
      countUpTo(HIGHEST_THRESHOLD),
      DEFAULT_THRESHOLD,
    )
    .addOption(
      new Option('--format <FORMAT>', 'print the report in this format').choices(OUTPUT_FORMATS).default('json'),
    )
    .option('--output <FILE>', 'write the report to this file (default: standard output)')
    .option('--strict', 'stop at the first line or element that cannot be read completely')
    .option(
      '--max-clients <N>',
      `analyse at most this many clients, the first ones that appear; the maximum is ${MOST_CLIENTS}`,
      countUpTo(MOST_CLIENTS),
      DEFAULT_CLIENTS,
    )
    .addOption(
      new Option('--lateness <TIME>', 'reorder events that arrive at most this late')
        .argParser(parseDuration)
        .default(DEFAULT_LATENESS_MS, '10s'),
    )
    .option(
      '--fail-on <CONDITION>',
      'exit with code 2 if a client has this risk level or a higher one (LOW, MEDIUM, HIGH, CRITICAL); or, with NO_JITTER, if a client retries without jitter or with too little, whatever its risk level',
      parseFault,
    )
    .option('--follow', 'keep reading as the log grows, and print a line for each client whose risk level changes')
    .addHelpText('after', HELP)
    .action(run);
}

const HELP = `
Input formats, detected from the content; each may be gzip-compressed:
${listFormats()}

Examples:
  analyze-retries --input connections.json --format table
  analyze-retries --input 'logs/*.gz' --format html --output retries.html
  analyze-retries --input client-test.ndjson --fail-on NO_JITTER    # in CI: fails the build of a client without jitter
  analyze-retries --input /var/log/nginx/access.log --follow        # runs until Ctrl+C
  zcat old.log.gz | analyze-retries --threshold 20

In a clone of the repository, run "npm run -s analyze -- OPTIONS" instead. Without -s, npm prints two extra lines first.

Exit codes:
  0  The analysis is complete, and --fail-on found no client.
  1  The analysis failed, the usage was invalid, or --fail-on could not be checked: no event could be read, clients
     beyond --max-clients were not analysed, or no client's waits could be judged.
  2  --fail-on found a client.`;

function listFormats(): string {
  const names = Object.entries(FORMAT_NAMES);
  const width = Math.max(...names.map(([, name]) => name.length));
  return names
    .map(([kind, name]) => `  ${name.padEnd(width)}  ${FORMAT_DESCRIPTIONS[kind as Format['kind']]}`)
    .join('\n');
}
