/** `npm run simulate`: replays the incident, prints its table and draws its picture. incident-report.ts does the counting. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process, { argv, stderr } from 'node:process';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable, startDynamoDb } from '../local/aws/dynamodb.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../local/aws/identity.ts';
import { insertBetween } from './harness/markdown.ts';
import { createProgress } from './harness/progress.ts';
import { seeded } from './harness/seeded.ts';
import { stopOnSignals, stopped } from './harness/stopping.ts';
import { drawIncident } from './incident/incident-picture.ts';
import { type IncidentReport, simulateIncident } from './incident/incident-report.ts';
import { renderTable } from './incident/incident-table.ts';

const HOURS = 4;
const MOST_HOURS = 12;
const TABLE = 'incident';

const HELP = `Replay, in virtual time, the incident that this project prevents: a page retries every 3 seconds, once against a limiter
that adds first and compares afterwards, and once against each of our algorithms. The counters are in DynamoDB Local, or,
without Java 17, in dynalite, a substitute. ${HOURS} hours take one to three minutes.

  npm run simulate -- [options]

  --hours N      how long the page goes on, 1 to ${MOST_HOURS} (default ${HOURS})
  --out FILE     draw the picture in this file, and leave the documentation unchanged
  --json         print the figures as JSON instead of a table; with npm run --silent, stdout holds nothing else
  --help

Without --out, a run of ${HOURS} hours on DynamoDB Local writes docs/incident.svg, docs/incident.json and the table in
docs/why.md. Every run gives the same figures.

Exit code: 0 replayed, 1 failed or stopped, 2 invalid arguments.`;

const options = readArguments(argv.slice(2));
if (options === 'help') {
  console.log(HELP);
} else if (options instanceof Error) {
  console.error(`${options.message}\n\nMore: npm run simulate -- --help`);
  process.exitCode = 2;
} else {
  try {
    const report = await replay(options.hours);
    console.log(options.json ? JSON.stringify(report) : renderTable(report));
    say(options.out === undefined ? updateDocumentation(report) : draw(report, options.out));
  } catch (error) {
    say(`The incident could not be replayed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

async function replay(hours: number): Promise<IncidentReport> {
  // The sliding window chooses its slots at random; with a seed, every run gives the same figures.
  Math.random = seeded(1);
  stopOnSignals();
  const progress = createProgress(stderr);
  const { engine, endpoint, close } = await startDynamoDb();
  const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
  try {
    if (engine === 'dynalite') {
      say(
        'Java 17 or later was not found, so this runs on dynalite, which resembles DynamoDB but proves nothing about it.',
      );
    }
    await createTable(client, TABLE);
    return await simulateIncident({
      table: { client, name: TABLE },
      engine,
      windows: hours,
      onAsk: (...step) => {
        stopped.throwIfAborted();
        progress(...step);
      },
    });
  } finally {
    client.destroy();
    await close();
  }
}

/** @returns the sentence that reports it */
function draw(report: IncidentReport, file: string): string {
  writeFileSync(file, drawIncident(report));
  return `Drawn: ${file}`;
}

function updateDocumentation(report: IncidentReport): string {
  if (report.windows !== HOURS || report.engine !== 'DynamoDB Local') {
    return `The documentation is unchanged: it shows ${HOURS} hours on DynamoDB Local. To draw this run: --out FILE`;
  }
  const inDocs = (file: string) => new URL(`../docs/${file}`, import.meta.url);
  const story = readFileSync(inDocs('why.md'), 'utf8');
  writeFileSync(inDocs('why.md'), insertBetween(story, 'simulate', renderTable(report)));
  writeFileSync(inDocs('incident.json'), `${JSON.stringify(report)}\n`);
  writeFileSync(inDocs('incident.svg'), drawIncident(report));
  return 'Written: docs/incident.svg, docs/incident.json, and the table in docs/why.md';
}

/** On stderr, so that stdout holds the figures alone. */
function say(sentence: string): void {
  console.error(sentence);
}

function readArguments(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        hours: { type: 'string', default: String(HOURS) },
        out: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { help, hours, out, json } = values;
    return help ? 'help' : { hours: parseHours(hours), out: out === undefined ? out : parseFile(out), json };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,2}$/.test(text) || hours < 1 || hours > MOST_HOURS) {
    throw new Error(
      `--hours ${JSON.stringify(text)} is invalid: it must be a whole number from 1 to ${MOST_HOURS}. For example: --hours ${HOURS}`,
    );
  }
  return hours;
}

/** Checked before the replay: an invalid path should not cost minutes. */
function parseFile(path: string): string {
  if (path === '' || !existsSync(dirname(path))) {
    throw new Error(
      `--out ${JSON.stringify(path)} is invalid: it must name a file in an existing folder. For example: --out incident.svg`,
    );
  }
  return path;
}
