import { writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followFile } from '../../analyzer/input/followed-file.ts';
import { analyzeRetries } from './cli/command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'follow-'));
});
afterAll(() => rm(folder, { recursive: true }));

const event = (client: string) =>
  `${JSON.stringify({ timestamp: 1767225600, client_ip: client, event_type: 'retry', retry_interval_ms: 1000 })}\n`;

interface Followed {
  readonly read: string;
  /** Why reading went on at a file's start. */
  readonly newStarts: readonly string[];
}

const ANOTHER = 'is another file now';
const WRITTEN_ANEW = 'was cut short or written anew in place';

/** Follows a file through these changes, each made when there is nothing more to read; then it ends. */
async function followed(path: string, changes: readonly (() => Promise<unknown>)[]): Promise<Followed> {
  const stop = new AbortController();
  const left = [...changes];
  const wait = async () => {
    const change = left.shift();
    await (change === undefined ? stop.abort() : change());
  };
  const newStarts: string[] = [];
  const source = await followFile(path, { signal: stop.signal, wait, onNewStart: (reason) => newStarts.push(reason) });
  const bytes = new Uint8Array(1_000);
  let read = '';
  for (let count = await source.read(bytes); count > 0; count = await source.read(bytes)) {
    read += Buffer.from(bytes.subarray(0, count)).toString();
  }
  await source.close();
  return { read, newStarts };
}

describe('a followed file', () => {
  it('is read on as it grows, through rotation and truncation', async () => {
    const path = join(folder, 'log');
    await writeFile(path, 'one\n');
    const { read, newStarts } = await followed(path, [
      () => appendFile(path, 'two\n'),
      () => rename(path, `${path}.1`),
      () => appendFile(`${path}.1`, 'late\n'),
      () => writeFile(path, 'new\n'),
      () => truncate(path),
      () => appendFile(path, 'x\n'),
    ]);
    expect({ read, newStarts }).toEqual({ read: 'one\ntwo\nlate\nnew\nx\n', newStarts: [ANOTHER, WRITTEN_ANEW] });
  });

  it('keeps its last line, if that got no end, apart from the next file’s first', async () => {
    const path = join(folder, 'log-2');
    await writeFile(path, 'one');
    const { read } = await followed(path, [
      async () => {
        await rename(path, `${path}.1`);
        await writeFile(path, 'two');
      },
    ]);
    expect(read).toBe('one\ntwo');
  });

  it.each([
    ['longer than before', 'ONE\nTWO\nTHREE\n'],
    ['as long as before', 'ONE\nTWO\n'],
    ['shorter than before', 'ONE\n'],
    ['without its last byte', 'one\ntwo'],
  ])('is read from its start when it was written anew in place between two looks, %s', async (_, anew) => {
    const path = join(folder, 'log-3');
    await writeFile(path, 'one\ntwo\n');
    const { read, newStarts } = await followed(path, [() => writeFile(path, anew)]);
    expect({ read, newStarts }).toEqual({ read: `one\ntwo\n${anew}`, newStarts: [WRITTEN_ANEW] });
  });

  it('is known again though it was written anew, if only more stands behind what was read', async () => {
    const path = join(folder, 'log-4');
    const lines = Array.from({ length: 2_000 }, (_, index) => `${index}\n`).join('');
    await writeFile(path, lines);
    const { read, newStarts } = await followed(path, [
      () => writeFile(path, `${lines}more\n`),
      () => appendFile(path, lines),
      () => appendFile(path, 'x\n'),
    ]);
    expect({ read, newStarts }).toEqual({ read: `${lines}more\n${lines}x\n`, newStarts: [] });
  });

  it('is read on where its writer goes on, at its old place, after it was cut short', async () => {
    const path = join(folder, 'log-5');
    await writeFile(path, 'one\n');
    await using file = await open(path, 'r+');
    const { read, newStarts } = await followed(path, [
      async () => {
        await file.truncate();
        await file.write('two\n', 4);
      },
      () => file.write('three\n', 8),
    ]);
    expect({ read, newStarts }).toEqual({ read: 'one\ntwo\nthree\n', newStarts: [] });
  });
});

describe('--follow', () => {
  it('prints a line for each client whose risk changes, and only for those', async () => {
    const stdin = new PassThrough();
    const running = analyzeRetries(['--follow', '--threshold', '2'], '', { stdin, now: clockThatLeaps() });
    stdin.write(event('192.0.2.1'));
    stdin.write(`{"timestamp":1767225601,"client_ip":"192.0.2.2","event_type":"connect"}\n`);
    stdin.end(event('192.0.2.1'));
    const { code, out, errors } = await running;
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const changes = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(changes.at(-1)).toMatchObject({ client: { client_ip: '192.0.2.1', risk_level: 'CRITICAL' } });
    expect(changes.map(({ client }) => client.client_ip)).not.toContain('192.0.2.2');
  });

  it('tells what cannot be read as it comes, a few of each kind, and at the end how much there was', async () => {
    const stdin = new PassThrough();
    let told = '';
    let isEnded = false;
    const stderr = {
      write(text: string) {
        told += text;
        if (told.split('line 2 ').length === 2 && !isEnded) {
          isEnded = true;
          stdin.write('bad\n'.repeat(20));
          stdin.end(`null\n${event('192.0.2.1')}{"client_ip":"192.0.2.1","event_type":"\u009b2J"}\n`);
        }
      },
    };
    stdin.write(`${event('192.0.2.1')}bad\n`);
    const { code, out } = await analyzeRetries(['--follow', '--threshold', '2'], '', { stdin, stderr });
    expect({ code, changes: out.trim().split('\n').length }).toEqual({ code: 0, changes: 1 });
    const BAD = 'is not JSON: "bad"';
    const AND_SO_ON = 'Further ones of this kind are counted, and the count is told at the end';
    expect(told.split('\n')).toEqual([
      `standard input, line 2 (byte 95): ${BAD}`,
      `standard input, line 3 (byte 99): ${BAD}`,
      `standard input, line 4 (byte 103): ${BAD}. ${AND_SO_ON}`,
      'standard input, line 23 (byte 179): is not an object: "null"',
      expect.stringMatching(
        /^standard input, line 25 .* is none of connect, disconnect, retry: event_type is "\ufffd2J"/,
      ),
      'standard input: 23 could not be read.',
      '',
    ]);
  });

  it('says that a file was written anew, and reads it from its start', async () => {
    const path = join(folder, 'log-6');
    await writeFile(path, `${event('192.0.2.1')}bad\n`);
    const stop = new AbortController();
    let told = '';
    const stderr = {
      write(text: string) {
        told += text;
        if (text.includes('line 2 ')) {
          writeFileSync(path, `null\n${event('192.0.2.1').repeat(2)}`);
        }
        if (text.includes('line 3 ')) {
          stop.abort();
        }
      },
    };
    const { code } = await analyzeRetries(['--follow', '--input', path], '', { stderr, signal: stop.signal });
    expect(code).toBe(0);
    expect(told.split('\n')).toEqual([
      `${path}, line 2 (byte 95): is not JSON: "bad"`,
      `${path} ${WRITTEN_ANEW}, and is read from its start. Lines and bytes are counted on.`,
      `${path}, line 3 (byte 99): is not an object: "null"`,
      `${path}: 2 could not be read.`,
      '',
    ]);
  });

  it('says what ended the log before its end, and that an interruption did not', async () => {
    const log = gzipSync(event('192.0.2.1').repeat(8));
    expect((await analyzeRetries(['--follow'], log.subarray(0, -3))).errors).toContain('the file is cut off');
    const stdin = new PassThrough();
    stdin.write(event('192.0.2.1'));
    const interrupted = new AbortController();
    // It is asked for once the first line was read.
    const now = () => {
      interrupted.abort();
      return Date.UTC(2026, 10, 30);
    };
    const ran = await analyzeRetries(['--follow'], '', { stdin, signal: interrupted.signal, now });
    expect(ran).toMatchObject({ code: 0, errors: '' });
  });

  it('ends quietly, though the log goes on, once nobody reads what it prints', async () => {
    const stdin = new PassThrough();
    const stdout = new Writable({
      write: (_, __, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    stdin.write(event('192.0.2.1').repeat(8));
    const { code, errors } = await analyzeRetries(['--follow', '--threshold', '2'], '', { stdin, stdout });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
});

/** So that every look at the clients is due. */
function clockThatLeaps(): () => number {
  let at = Date.UTC(2026, 10, 30);
  return () => {
    at += 60_000;
    return at;
  };
}
