/** Compares the log analyzer with other programs that compute the same result, each in its own process, on a generated log. */
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

/** A log that the contenders read. */
interface Reading {
  readonly form: Form;
  readonly megabytes: number;
  /** Without the peers, which would need several times the memory of the log. */
  readonly oursAlone?: boolean;
}

const READINGS: readonly Reading[] = [
  { form: 'ndjson', megabytes: 200 },
  { form: 'ndjson', megabytes: 2_000, oursAlone: true },
  { form: 'array', megabytes: 200 },
];

/** The figures are medians of this many runs. It is small, because all parts together should take less than five minutes. */
const RUNS = 3;

interface Kind {
  readonly name: string;
  /** The MB/s that ours should reach on the machine for which the bounds were set. */
  readonly bound: number;
  /** The other programs, with their MB/s on that machine; undefined if they were not measured in the same way there. */
  readonly peers: Readonly<Record<string, number | undefined>>;
}

const KINDS: Readonly<Record<Form, Kind>> = {
  ndjson: { name: 'NDJSON', bound: 350, peers: { 'JSON.parse': 187, Python: 53 } },
  array: { name: 'array', bound: 200, peers: { 'JSON.parse': 138, 'stream-json': undefined, Python: 120 } },
};
const REASON_BELOW_BOUND =
  'The bound was set on a machine on which the peers reach the speed that their targets are based on; on this machine they are ' +
  'slower too. With 200 MB, nearly half of the time goes to starting the thread, to code that is not compiled yet, and to a report ' +
  'on 20,000 clients.';
const REASON_BELOW_PEER = 'Ours uses both cores and a peer uses one, so anything else that runs slows only ours.';
const MAX_MIB = 120;

const BENCH = join(import.meta.dirname, '..');
const LOCAL_FOLDER = join(BENCH, '../.local');

/** @throws Error if a contender fails or computes a different result */
export async function analyzer(): Promise<Part> {
  await mkdir(LOCAL_FOLDER, { recursive: true });
  const folder = await mkdtemp(join(LOCAL_FOLDER, 'bench-'));
  try {
    // Bundled, as in the package: to strip types, Node would load a compiler that takes 40 MB.
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
  // No warm-up: each run is a new process, and the log was just written, so it is in the file cache.
  const results = new Map(Object.entries(await alternate(contenders, RUNS, { warmsUp: false })));
  await rm(path);

  const rates = (name: string) => (results.get(name) ?? []).map(({ seconds }) => size / seconds);
  const shown = (name: string) => `${Math.round(median(rates(name)))} MB/s`;
  const ours = results.get('ours') ?? [];
  assertSameResult(results);
  const peakMiB = median(ours.map((measured) => measured.peakMiB));
  return [
    ...peers.map(([name, peerBound]) => ({
      what: `${log}, speed / ${name}`,
      ratio: medianRatio(rates('ours'), rates(name)),
      target: peerBound === undefined ? undefined : atLeast(kind.bound / peerBound, REASON_BELOW_PEER),
      ours: shown('ours'),
      other: shown(name),
    })),
    {
      what: `${log}, speed / its bound`,
      ratio: median(rates('ours')) / kind.bound,
      target: atLeast(1, REASON_BELOW_BOUND),
      ours: shown('ours'),
      other: `${kind.bound} MB/s`,
    },
    {
      what: `${log}, peak memory / its bound`,
      ratio: peakMiB / MAX_MIB,
      target: { at: 'most', ratio: 1, reason: 'Each thread runs its own V8.' },
      ours: `${Math.round(peakMiB)} MiB`,
      other: `${MAX_MIB} MiB`,
    },
  ];
}

function atLeast(ratio: number, reason: string): Target {
  return { at: 'least', ratio: Math.round(ratio * 100) / 100, reason };
}

/** A contender that computes something else cannot be compared. */
function assertSameResult(results: ReadonlyMap<string, readonly Measured[]>): void {
  const distinct = new Set([...results.values()].flat().map(({ levels }) => JSON.stringify(levels)));
  if (distinct.size > 1) {
    throw new Error(`The contenders compute different results: ${[...distinct].join(' and ')}.`);
  }
}

async function run(name: string, form: Form, path: string, folder: string): Promise<Measured> {
  const [program, ...script] =
    name === 'Python'
      ? ['python3', join(BENCH, 'retry-logs/analyze.py')]
      : [execPath, join(folder, 'analyzer-contenders.mjs'), name];
  const { stdout } = await promisify(execFile)(program, [...script, form, path], { signal: stopped });
  return JSON.parse(stdout);
}

function sizeInWords(megabytes: number): string {
  return megabytes < 1_000 ? `${megabytes} MB` : `${megabytes / 1_000} GB`;
}
