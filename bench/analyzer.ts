/** `node bench/analyzer.ts`: writes a log, has it analysed by ours and by others, each in a process of its own, and compares. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath, exit, stderr } from 'node:process';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import type { Form, Measured } from './analyzer-contenders.ts';
import { writeLog } from './analyzer-log.ts';

const HELP = `Analyses a generated log with ours, JSON.parse, stream-json and a plain Python script.

  node bench/analyzer.ts [--size MB] [--runs N] [--ours]

  --size MB   how large the log is (default 200); JSON.parse and Python hold it several times over
  --runs N    the median of so many (default 3)
  --ours      ours alone, for sizes that the others cannot hold: --size 2000 --ours`;

const CONTENDERS: Readonly<Record<Form, readonly string[]>> = {
  ndjson: ['ours', 'JSON.parse', 'Python'],
  array: ['ours', 'JSON.parse', 'stream-json', 'Python'],
};

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '200' },
    runs: { type: 'string', default: '3' },
    ours: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const [size, runs] = [Number(values.size), Number(values.runs)];
if (values.help || !(size > 0 && runs > 0)) {
  console.log(HELP);
  exit(values.help ? 0 : 1);
}

const PARSE_WORKER = join(import.meta.dirname, '../analyzer/parse-worker.ts');
const BESIDE = join(import.meta.dirname, '../.local');
await mkdir(BESIDE, { recursive: true });
const folder = await mkdtemp(join(BESIDE, 'bench-'));
try {
  // As the package has it: to strip types, Node loads a compiler that takes 40 MB.
  await build({
    entryPoints: [join(import.meta.dirname, 'analyzer-contenders.ts'), PARSE_WORKER],
    outdir: folder,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  for (const form of ['ndjson', 'array'] as const) {
    await compare(form, join(folder, form));
  }
} finally {
  await rm(folder, { recursive: true });
}

async function compare(form: Form, path: string): Promise<void> {
  await writeLog(path, size * 1e6, form);
  const megabytes = (await stat(path)).size / 1e6;
  console.log(`\n${form}, ${Math.round(megabytes)} MB, median of ${runs}\n`);
  console.log(`${'who'.padEnd(12)}${'MB/s'.padStart(8)}${'peak MiB'.padStart(10)}${'ours is'.padStart(10)}`);
  let ours: Measured | undefined;
  for (const name of values.ours ? ['ours'] : CONTENDERS[form]) {
    const measured = await medianOf(name, form, path);
    ours ??= measured;
    const rate = Math.round(megabytes / measured.seconds);
    const ratio = `x ${(measured.seconds / ours.seconds).toFixed(1)}`;
    const answer = JSON.stringify(measured.levels) === JSON.stringify(ours.levels) ? '' : '  a different answer';
    console.log(
      `${name.padEnd(12)}${String(rate).padStart(8)}${String(Math.round(measured.peakMiB)).padStart(10)}${ratio.padStart(10)}${answer}`,
    );
  }
}

async function medianOf(name: string, form: Form, path: string): Promise<Measured> {
  const measured: Measured[] = [];
  for (let count = 0; count < runs; count += 1) {
    stderr.write(`${form}, ${name}, ${count + 1} of ${runs}\r\u001b[K`);
    measured.push(await measure(name, form, path));
  }
  const [middle] = measured.toSorted((a, b) => a.seconds - b.seconds).slice(Math.floor(runs / 2));
  if (middle === undefined) {
    throw new Error('There was no run.');
  }
  return middle;
}

async function measure(name: string, form: Form, path: string): Promise<Measured> {
  const [program, script] =
    name === 'Python'
      ? ['python3', join(import.meta.dirname, 'analyze.py')]
      : [execPath, join(folder, 'analyzer-contenders.mjs')];
  const { stdout } = await promisify(execFile)(program, [script, ...(name === 'Python' ? [] : [name]), form, path]);
  return JSON.parse(stdout);
}
