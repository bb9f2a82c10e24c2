/** The analyzer of logs beside others that come to the same answer, each in a process of its own, on a generated log. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Figure, Part, Target } from '../harness/figures.ts';
import { alternate, median, medianRatio } from '../harness/measure.ts';
import { stopped } from '../harness/stopping.ts';
import type { Form, Measured } from '../retry-logs/analyzer-contenders.ts';
import { writeLog } from '../retry-logs/analyzer-log.ts';

/** A log to be read. */
interface Reading {
  readonly form: Form;
  readonly megabytes: number;
  /** Without the others: they would hold it several times over. */
  readonly oursAlone?: boolean;
}

const READINGS: readonly Reading[] = [
  { form: 'ndjson', megabytes: 200 },
  { form: 'ndjson', megabytes: 2_000, oursAlone: true },
  { form: 'array', megabytes: 200 },
];

/** Of which medians are taken; every part together is to be done within five minutes. */
const RUNS = 3;

interface Kind {
  readonly name: string;
  /** MB/s that ours is to reach on the machine that the bounds were set for. */
  readonly bound: number;
  /** Who else reads it, with MB/s on that machine; without, where it was not measured as it is here. */
  readonly peers: Readonly<Record<string, number | undefined>>;
}

const KINDS: Readonly<Record<Form, Kind>> = {
  ndjson: { name: 'NDJSON', bound: 350, peers: { 'JSON.parse': 187, Python: 53 } },
  array: { name: 'array', bound: 200, peers: { 'JSON.parse': 138, 'stream-json': undefined, Python: 120 } },
};
const WHY_NOT_AS_FAST =
  'The bound is of a machine on which the peers have the speed that their own targets were made of; here they are slower too. ' +
  "Of 200 MB, nearly half of the time is the thread's start, code that is not compiled yet, and a report on 20,000 clients.";
const WHY_NOT_FASTER = 'Ours takes both cores, and a peer one: whatever else runs slows ours alone.';
const MOST_MIB = 120;

const BENCH = join(import.meta.dirname, '..');
const BESIDE = join(BENCH, '../.local');

/** @throws Error if a contender fails, or comes to another answer */
export async function analyzer(): Promise<Part> {
  await mkdir(BESIDE, { recursive: true });
  const folder = await mkdtemp(join(BESIDE, 'bench-'));
  try {
    // As the package has it: to strip types, Node loads a compiler that takes 40 MB.
    await build({
      entryPoints: [
        join(BENCH, 'retry-logs/analyzer-contenders.ts'),
        join(BENCH, '../analyzer/input/reader-thread.ts'),
      ],
      outdir: folder,
      entryNames: '[name]',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    const figures: Figure[] = [];
    for (const reading of READINGS) {
      figures.push(...(await compare(reading, folder)));
    }
    return { name: 'Analyzer', figures };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare({ form, megabytes, oursAlone = false }: Reading, folder: string): Promise<Figure[]> {
  const kind = KINDS[form];
  const log = `${kind.name} of ${sizeInWords(megabytes)}`;
  const path = join(folder, form);
  await writeLog(path, megabytes * 1e6, form);
  const size = (await stat(path)).size / 1e6;
  const peers = oursAlone ? [] : Object.entries(kind.peers);
  const names = ['ours', ...peers.map(([name]) => name)];
  const contenders = Object.fromEntries(names.map((name) => [name, () => run(name, form, path, folder)]));
  // Each is a process of its own, and the log was just written.
  const results = new Map(Object.entries(await alternate(contenders, RUNS, { warmsUp: false })));
  await rm(path);

  const rates = (name: string) => (results.get(name) ?? []).map(({ seconds }) => size / seconds);
  const shown = (name: string) => `${Math.round(median(rates(name)))} MB/s`;
  const ours = results.get('ours') ?? [];
  holdAnswers(results);
  const peakMiB = median(ours.map((measured) => measured.peakMiB));
  return [
    ...peers.map(([name, there]) => ({
      what: `${log}, speed / ${name}`,
      ratio: medianRatio(rates('ours'), rates(name)),
      target: there === undefined ? undefined : atLeast(kind.bound / there, WHY_NOT_FASTER),
      ours: shown('ours'),
      other: shown(name),
    })),
    {
      what: `${log}, speed / its bound`,
      ratio: median(rates('ours')) / kind.bound,
      target: atLeast(1, WHY_NOT_AS_FAST),
      ours: shown('ours'),
      other: `${kind.bound} MB/s`,
    },
    {
      what: `${log}, peak memory / its bound`,
      ratio: peakMiB / MOST_MIB,
      target: { at: 'most', ratio: 1, reason: 'Each thread is a V8 of its own.' },
      ours: `${Math.round(peakMiB)} MiB`,
      other: `${MOST_MIB} MiB`,
    },
  ];
}

function atLeast(ratio: number, reason: string): Target {
  return { at: 'least', ratio: Math.round(ratio * 100) / 100, reason };
}

/** Speed at another answer is none. */
function holdAnswers(results: ReadonlyMap<string, readonly Measured[]>): void {
  const answers = new Set([...results.values()].flat().map(({ levels }) => JSON.stringify(levels)));
  if (answers.size > 1) {
    throw new Error(`The contenders come to different answers: ${[...answers].join(' and ')}.`);
  }
}

async function run(name: string, form: Form, path: string, folder: string): Promise<Measured> {
  const [program, ...script] =
    name === 'Python'
      ? ['python3', join(BENCH, 'analyze.py')]
      : [execPath, join(folder, 'analyzer-contenders.mjs'), name];
  const { stdout } = await promisify(execFile)(program, [...script, form, path], { signal: stopped });
  return JSON.parse(stdout);
}

function sizeInWords(megabytes: number): string {
  return megabytes < 1_000 ? `${megabytes} MB` : `${megabytes / 1_000} GB`;
}
