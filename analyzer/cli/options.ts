/** The options of `analyze-retries`, as they are written and as they are read. */
import { Command, Option } from 'commander';
import { DEFAULT_CLIENTS, DEFAULT_LATENESS_MS, MOST_CLIENTS } from '../fleet-options.ts';
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

/** Stands for standard input, as elsewhere. */
export const STANDARD_INPUT = '-';

const HIGHEST_THRESHOLD = 999_999_999;

/** @param run what to do once the options are right */
export function createCommand(run: (options: CommandOptions) => Promise<void>): Command {
  return new Command('analyze-retries')
    .description('Finds the clients that retry without jitter, in connection logs of any size.')
    .option(
      '--input <FILE...>',
      'logs, or patterns in quotes; - is standard input (default: standard input if something comes from there, or else a small sample)',
      collectPaths,
    )
    .option(
      '--threshold <N>',
      'requests from which on a client is rate limited',
      countUpTo(HIGHEST_THRESHOLD),
      DEFAULT_THRESHOLD,
    )
    .addOption(new Option('--format <FORMAT>', 'what to print').choices(OUTPUT_FORMATS).default('json'))
    .option('--output <FILE>', 'where to write it (default: standard output)')
    .option('--strict', 'end at the first line or element that cannot be read in full')
    .option(
      '--max-clients <N>',
      `keep figures of so many clients, the first that appear; ${MOST_CLIENTS} at most`,
      countUpTo(MOST_CLIENTS),
      DEFAULT_CLIENTS,
    )
    .addOption(
      new Option('--lateness <TIME>', 'put events in order that come so much too late')
        .argParser(parseDuration)
        .default(DEFAULT_LATENESS_MS, '10s'),
    )
    .option(
      '--fail-on <FAULT>',
      'end with exit code 2 if a client has this risk or more (LOW, MEDIUM, HIGH, CRITICAL), or if one has NO_JITTER, however often it came',
      parseFault,
    )
    .option('--follow', 'go on reading as the log grows, and print a line for each client whose risk changes')
    .addHelpText('after', HELP)
    .action(run);
}

const HELP = `
Logs, known by what stands in them, each also as gzip: a JSON array or NDJSON of
{timestamp, client_ip, event_type: connect|disconnect|retry, retry_interval_ms?}, the issuer's own log,
CloudFront's standard logs v2 (JSON, W3C), nginx (combined, JSON with nginx's names of variables).

Examples:
  analyze-retries --input connections.json --format table
  analyze-retries --input 'logs/*.gz' --format html --output retries.html
  analyze-retries --input client-test.ndjson --fail-on NO_JITTER  in CI: a bad client does not ship
  analyze-retries --input /var/log/nginx/access.log --follow    until Ctrl+C
  zcat old.log.gz | analyze-retries --threshold 20

In a clone of the repository, npm run -s analyze -- OPTIONS is analyze-retries OPTIONS (without -s, npm says two lines first).
Exit code: 0 done, 1 it could not be done or the usage was wrong, or --fail-on could not be answered (no event could be
read, clients beyond --max-clients were not looked at, or nobody's waits could be judged), 2 --fail-on found a client.`;
