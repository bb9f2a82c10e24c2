/** `npm run simulate`: replays the incident, prints its table and draws its picture. incident-report.ts does the counting. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process, { argv, stderr } from 'node:process';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable, startDynamoDb } from '../local/aws/dynamodb.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../local/aws/identity.ts';
import { createProgress } from './harness/progress.ts';
import { seeded } from './harness/seeded.ts';
import { stopOnSignals, stopped } from './harness/stopping.ts';
import { drawIncident } from './incident/incident-picture.ts';
import { type IncidentReport, simulateIncident } from './incident/incident-report.ts';
import { insertTable, renderTable } from './incident/incident-table.ts';

const HOURS = 4;
const MOST_HOURS = 12;
const TABLE = 'incident';

const HELP = `Replays the incident that this project exists to prevent, in virtual time: a page asks again every
3 seconds, once at a limiter that adds first and compares afterwards, once at each of ours. It counts
in DynamoDB Local, or without Java 17 in dynalite, a substitute. ${HOURS} hours take one to three minutes.

  npm run simulate -- [options]

  --hours N      how long the page goes on, 1 to ${MOST_HOURS} (default ${HOURS})
  --out FILE     draw the picture there, and leave the documentation as it is
  --json         the figures as JSON in place of the table; with npm run --silent, nothing else is on stdout
  --help

Without --out, ${HOURS} hours on DynamoDB Local are what the documentation shows: docs/incident.svg,
docs/incident.json and the README's table are written anew. Each run gives the same figures.

Exit code: 0 it was replayed, 1 it could not be, 2 wrong usage.`;

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
  // The sliding window takes random slots. Whoever repeats the run should see its very figures.
  Math.random = seeded(1);
  stopOnSignals();
  const progress = createProgress(stderr);
  const { engine, endpoint, close } = await startDynamoDb();
  const client = new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
  try {
    if (engine === 'dynalite') {
      say('There is no Java 17 or later here. This runs on dynalite, which resembles DynamoDB and proves nothing.');
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

/** @returns what was done */
function draw(report: IncidentReport, file: string): string {
  writeFileSync(file, drawIncident(report));
  return `Drawn: ${file}`;
}

function updateDocumentation(report: IncidentReport): string {
  if (report.windows !== HOURS || report.engine !== 'DynamoDB Local') {
    return `The documentation shows ${HOURS} hours on DynamoDB Local and stays as it is. For a picture: --out FILE`;
  }
  const inRoot = (file: string) => new URL(`../${file}`, import.meta.url);
  const readme = readFileSync(inRoot('README.md'), 'utf8');
  writeFileSync(inRoot('README.md'), insertTable(readme, renderTable(report)));
  writeFileSync(inRoot('docs/incident.json'), `${JSON.stringify(report)}\n`);
  writeFileSync(inRoot('docs/incident.svg'), drawIncident(report));
  return 'Written: docs/incident.svg, docs/incident.json, and the table in README.md';
}

/** Beside what is printed, so that stdout can be handed on. */
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
      `--hours ${JSON.stringify(text)} must be whole hours from 1 to ${MOST_HOURS}. A right value: --hours ${HOURS}`,
    );
  }
  return hours;
}

/** Checked before the replay, so that no minute is lost on a picture that has no place. */
function parseFile(path: string): string {
  if (path === '' || !existsSync(dirname(path))) {
    throw new Error(
      `--out ${JSON.stringify(path)} must be a file in a folder that exists. A right value: --out incident.svg`,
    );
  }
  return path;
}
