import { createReadStream } from 'node:fs';
import { link, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandInputs } from '../../../analyzer/cli/input-paths.ts';
import { createProgressLine } from '../../../analyzer/cli/progress-line.ts';
import { SAMPLE } from '../../../analyzer/cli/sample-log.ts';
import { analyzeRetries } from './command.ts';

let folder: string;
const inFolder = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'analyze-retries-'));
  await writeFile(inFolder('sample.json'), SAMPLE);
  await symlink(inFolder('sample.json'), inFolder('linked.json'));
  await link(inFolder('sample.json'), inFolder('hard.json'));
  await writeFile(
    inFolder('more.ndjson.gz'),
    gzipSync('{"timestamp":1767225700,"client_ip":"192.0.2.20","event_type":"connect"}\n'),
  );
  await writeFile(inFolder('empty.json'), '');
  await writeFile(inFolder('prose.txt'), 'Nothing happened.\n');
  await writeFile(inFolder('bad.ndjson'), '{"client_ip":"192.0.2.1","event_type":"retry","timestamp":1}\nbad\n');
});

afterAll(() => rm(folder, { recursive: true }));

const SAMPLE_CLIENTS = [
  {
    client_ip: '192.0.2.10',
    total_requests: 5,
    avg_retry_interval_ms: 1000,
    has_jitter: false,
    is_rate_limited: true,
    risk_level: 'CRITICAL',
  },
  {
    client_ip: '192.0.2.20',
    total_requests: 2,
    avg_retry_interval_ms: 1825,
    has_jitter: true,
    is_rate_limited: false,
    risk_level: 'LOW',
  },
];

describe('the report', () => {
  it.each<[string, readonly string[], string]>([
    ['the built-in sample, if there is no other log', [], ''],
    ['a file', ['--input', 'sample.json'], ''],
    ['standard input', [], SAMPLE],
    ['standard input by the name -, compressed', ['--input', '-'], 'compressed'],
  ])('covers %s', async (_, args, stdin) => {
    const { code, out, errors } = await analyzeRetries(
      args.map((arg) => (arg.endsWith('.json') ? inFolder(arg) : arg)),
      stdin === 'compressed' ? gzipSync(SAMPLE) : stdin,
    );
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const report = JSON.parse(out);
    expect(report).toMatchObject({ evaluated_at: '2026-11-30T00:00:00.000Z', threshold_requests_per_min: 5 });
    expect(report.analyzed_clients).toHaveLength(2);
    expect(report.analyzed_clients).toMatchObject(SAMPLE_CLIENTS);
    expect(Object.keys(report.analyzed_clients[0])).toEqual(
      expect.arrayContaining(Object.keys(SAMPLE_CLIENTS[0] ?? {})),
    );
  });

  it('counts several logs together, including those that match a pattern', async () => {
    const { out } = await analyzeRetries(['--input', inFolder('sample.json'), inFolder('more.*'), '--threshold', '3']);
    const { analyzed_clients, logs } = JSON.parse(out);
    expect(analyzed_clients.map(({ total_requests }: { total_requests: number }) => total_requests)).toEqual([5, 3]);
    expect(logs).toMatchObject([{ format: 'JSON array' }, { format: 'NDJSON' }]);
  });

  it('is written only to the file given with --output', async () => {
    const output = inFolder('report.html');
    const { code, out } = await analyzeRetries(['--format', 'html', '--output', output]);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(await readFile(output, 'utf8')).toContain('<!doctype html>');
  });

  it.each(['sample.json', './sample.json', 'linked.json', 'hard.json'])(
    'does not overwrite an input log that --output names as %s',
    async (name) => {
      const output = `${folder}/${name}`;
      const { code, errors } = await analyzeRetries(['--input', inFolder('sample.json'), '--output', output]);
      expect({ code, errors }).toEqual({
        code: 1,
        errors: expect.stringContaining('is also an input'),
      });
      expect(await readFile(inFolder('sample.json'), 'utf8')).toBe(SAMPLE);
    },
  );

  it('does not overwrite the file that is standard input', async () => {
    const stdin = createReadStream(inFolder('sample.json'));
    const { code, errors } = await analyzeRetries(['--output', inFolder('sample.json')], '', { stdin });
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining('(standard input)') });
    expect(await readFile(inFolder('sample.json'), 'utf8')).toBe(SAMPLE);
  });

  it('counts a file once, even if it is given several times and by several names', async () => {
    const named = ['sample.json', 'sample.*', 'linked.json', 'hard.json'].map(inFolder);
    const { out, errors } = await analyzeRetries(['--input', ...named]);
    const { analyzed_clients, logs } = JSON.parse(out);
    expect(analyzed_clients).toMatchObject(SAMPLE_CLIENTS);
    expect(logs).toHaveLength(1);
    expect(errors.split('\n')).toEqual([
      `${named[0]} was named more than once. It is read only once.`,
      `${named[2]} is the same file as ${named[0]}. It is read only once.`,
      `${named[3]} is the same file as ${named[0]}. It is read only once.`,
      '',
    ]);
  });

  it.each(['empty.json', 'prose.txt'])('leaves out %s, which is not a log, and prints why', async (name) => {
    const { code, out, errors } = await analyzeRetries(['--input', inFolder(name), inFolder('sample.json')]);
    expect({ code, errors }).toEqual({ code: 0, errors: expect.stringContaining(`Left out: ${inFolder(name)} is `) });
    const { analyzed_clients, logs } = JSON.parse(out);
    expect(analyzed_clients).toMatchObject(SAMPLE_CLIENTS);
    expect(logs).toMatchObject([
      { format: 'none', rejected: 1, problems: [{ complaint: expect.stringContaining(`${name} is `) }] },
      { format: 'JSON array' },
    ]);
  });

  it.each<[string, string]>([
    ['{"client_ip":"a","event_type":"retry","timestamp":1}\nbad\n', 'standard input: 1 record could not be read.'],
    [
      '{"client_ip":"a","event_type":"retry"}\n',
      'standard input: 1 of 1 event is counted without a missing or invalid field.',
    ],
    [
      '{"client_ip":"a","event_type":"retry"}\n{"client_ip":"a","event_type":"retry"}\nbad\n',
      'standard input: 1 record could not be read, and 2 of 2 events are counted without a missing or invalid field.',
    ],
  ])('mentions only the kinds of problems that occurred: %j', async (log, sentence) => {
    const { errors } = await analyzeRetries([], log);
    expect(errors.split('\n')[0]).toBe(sentence);
  });

  it('names damaged gzip data before the invalid lines that it causes', async () => {
    const line = (index: number) =>
      `{"timestamp":${1767225600 + index},"client_ip":"192.0.2.${index % 250}","event_type":"retry","retry_interval_ms":${(index * 7_919) % 9_973}}\n`;
    const compressed = gzipSync(Array.from({ length: 20_000 }, (_, index) => line(index)).join(''));
    const { errors } = await analyzeRetries(
      [],
      compressed.fill(0xff, compressed.length / 2, compressed.length / 2 + 9),
    );
    expect(errors.split('\n')[1]).toMatch(/^ {2}standard input, byte \d+: the gzip data is damaged$/);
  });

  it.each(['json', 'table', 'html'])('in format %s ends with exactly one newline', async (format) => {
    const { out } = await analyzeRetries(['--format', format]);
    expect(out).toMatch(/[^\n]\n$/);
  });

  it('goes with a list of what could not be read, on standard error', async () => {
    const { code, errors } = await analyzeRetries(['--input', inFolder('bad.ndjson'), '--format', 'table']);
    expect(code).toBe(0);
    expect(errors).toContain('bad.ndjson, line 2 (byte 61): is not JSON: "bad"');
  });
});

describe('the exit code', () => {
  it.each<[number, string]>([
    [2, 'LOW'],
    [2, 'critical'],
    [0, 'MEDIUM --threshold 100'],
    [2, 'NO_JITTER --threshold 100'],
    [2, 'no_jitter'],
  ])('is %d with --fail-on %s', async (code, args) => {
    expect(await analyzeRetries(['--fail-on', ...args.split(' ')])).toMatchObject({ code });
  });

  it.each<[string, string, number, string]>([
    ['no event could be read', 'bad', 1, 'no event could be read, so no client was analysed'],
    [
      'some clients were not analysed',
      '--max-clients 1 --threshold 100',
      1,
      '2 events are from clients beyond the first 1, which were not analysed. Analyse more clients with --max-clients.',
    ],
    ['some clients were not analysed, but one was found', '--max-clients 1', 2, ''],
  ])('with --fail-on, if %s', async (_, args, code, sentence) => {
    const ran =
      args === 'bad'
        ? await analyzeRetries(['--fail-on', 'MEDIUM'], '{"client_ip":"192.0.2.1","event_type":"?"}\n')
        : await analyzeRetries(['--fail-on', 'MEDIUM', ...args.split(' ')]);
    expect(ran).toMatchObject({ code, errors: expect.stringContaining(sentence) });
    expect(ran.errors.includes('--fail-on MEDIUM could not be checked: ')).toBe(code === 1);
  });

  const waitsOf = (waits: readonly number[]) =>
    waits.map((wait) => `{"client_ip":"192.0.2.1","event_type":"retry","retry_interval_ms":${wait}}\n`).join('');
  const RANDOM = [812, 95, 1930, 410, 1204, 33, 1711, 640, 1480, 228, 990, 1350];

  it.each<[string, readonly number[], number]>([
    ['random waits, despite its HIGH risk', RANDOM, 0],
    ['waits that double', [100, 200, 400, 800, 1600, 3200, 6400], 2],
    ['too little jitter', RANDOM.map((wait) => 3_000 - wait / 3), 2],
    ['hardly any wait', [1, 3, 2, 1, 3, 2], 2],
    ['too few waits to be judged', [1_000, 700], 1],
  ])('with --fail-on NO_JITTER, for a client with %s', async (_, waits, code) => {
    const { errors, ...ran } = await analyzeRetries(['--fail-on', 'NO_JITTER'], waitsOf(waits));
    expect(ran.code).toBe(code);
    expect(errors.includes('--fail-on NO_JITTER could not be checked: no client shows a clear')).toBe(code === 1);
  });

  it.each<[string, string]>([
    ['--input missing.json', 'missing.json: there is no such file'],
    ['--input .', ". is a folder, but a file was expected. To read the files in it: --input './*'"],
    ['--input empty.json', 'is empty: there is nothing to analyse'],
    ['--input empty.json prose.txt', 'is not in a supported log format. Expected one of: JSON array; NDJSON; '],
    ['--input empty.json sample.json --strict', 'is empty: there is nothing to analyse'],
    ['--input missing.json sample.json', 'missing.json: there is no such file'],
    ['--input *.nothing', 'No file matches the pattern '],
    [
      '--input bad.ndjson --strict',
      'bad.ndjson, line 2 (byte 61): is not JSON: "bad". The analysis stopped here because --strict is set.',
    ],
    ['--output missing/report.html', 'is invalid. Expected a file in an existing folder'],
    ['--output ', "--output '' is invalid. Expected a file in an existing folder"],
    ['--output /dev/full', '--output /dev/full could not be written: no space is left on the device.'],
    ['--format xml', 'Allowed choices are json, table, html'],
    ['--threshold 0', 'For example: 5'],
    ['--threshold 2.5', 'For example: 5'],
    ['--max-clients 1000000000', 'Expected a whole number from 1 to 16777216, without separators.'],
    ['--max-clients 16777217', 'Expected a whole number from 1 to 16777216'],
    ['--threshold 1000000000', 'Expected a whole number from 1 to 999999999'],
    ['--lateness 10000000000ms', 'Expected a whole number of at most nine digits, followed by ms'],
    ['--lateness 10', 'For example: 10s'],
    ['--fail-on HUGE', 'Expected one of LOW, MEDIUM, HIGH, CRITICAL, NO_JITTER'],
    ['--verbose', "unknown option '--verbose'"],
    ['--follow --input more.ndjson.gz', 'is gzip'],
    ['--follow --input sample.json bad.ndjson', '--follow reads exactly one log, but 2 were named'],
  ])('is 1, with an error message, for %s', async (args, sentence) => {
    const named = args.split(' ').map((arg) => (/^(empty|bad|more|prose|sample|\*)\./.test(arg) ? inFolder(arg) : arg));
    const { code, out, errors } = await analyzeRetries(named);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toContain(sentence);
  });

  it('is 0 for --help, which shows examples', async () => {
    const { code, out } = await analyzeRetries(['--help']);
    expect(code).toBe(0);
    expect(out).toContain('Examples:\n  analyze-retries --input');
    expect(out.replaceAll(/\s+/g, ' ')).toContain('the first ones that appear; the maximum is 16777216');
  });
});

it('says what to do if this version of Node has no glob', async () => {
  await expect(expandInputs(['logs/*.json'], null)).rejects.toThrow('patterns need Node 22 or later');
});

it('shows progress, speed and remaining time on a terminal', () => {
  let [drawn, at] = ['', 0];
  const terminal = {
    isTTY: true,
    write: (text: string) => {
      drawn += text;
    },
  };
  const progress = createProgressLine(terminal, () => at);
  progress.show({ name: 'a.json', taken: 0, size: 400e6 });
  at = 500;
  progress.show({ name: 'a.json', taken: 100e6, size: 400e6 });
  expect(drawn.split('\u001b[K').at(-1)).toBe('a.json [#####...............] 25 % of 400 MB, 200 MB/s, 2 s left');
});
