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
  /** The reasons why reading started again at the beginning of a file. */
  readonly newStarts: readonly string[];
}

const ROTATED = 'was replaced by another file';
const REWRITTEN = 'was truncated or rewritten in place';

/** Follows a file through these changes, then stops. Each change is made when there is nothing more to read. */
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
  it('is read as it grows, also after rotation and truncation', async () => {
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
    expect({ read, newStarts }).toEqual({ read: 'one\ntwo\nlate\nnew\nx\n', newStarts: [ROTATED, REWRITTEN] });
  });

  it('ends a last line without newline before the first line of the next file', async () => {
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
  ])('is read from its start after it was rewritten in place between two checks, %s', async (_, rewritten) => {
    const path = join(folder, 'log-3');
    await writeFile(path, 'one\ntwo\n');
    const { read, newStarts } = await followed(path, [() => writeFile(path, rewritten)]);
    expect({ read, newStarts }).toEqual({ read: `one\ntwo\n${rewritten}`, newStarts: [REWRITTEN] });
  });

  it('is not read again if it was rewritten with the same content and more lines at its end', async () => {
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

  it('is read at the position where its writer continues after truncation', async () => {
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
  it('prints a line only for each client whose risk level changes', async () => {
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

  it('prints a few problems of each kind as they occur, and their number at the end', async () => {
    const stdin = new PassThrough();
    let printed = '';
    let isEnded = false;
    const stderr = {
      write(text: string) {
        printed += text;
        if (printed.split('line 2 ').length === 2 && !isEnded) {
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
    const ONLY_COUNTED = 'Further problems of this kind are only counted, and the total is printed at the end';
    expect(printed.split('\n')).toEqual([
      `standard input, line 2 (byte 95): ${BAD}`,
      `standard input, line 3 (byte 99): ${BAD}`,
      `standard input, line 4 (byte 103): ${BAD}. ${ONLY_COUNTED}`,
      'standard input, line 23 (byte 179): is not an object: "null"',
      expect.stringMatching(
        /^standard input, line 25 .* has none of the event types connect, disconnect, retry: event_type is "\ufffd2J"/,
      ),
      'standard input: 23 records could not be read.',
      '',
    ]);
  });

  it('reports that a file was rewritten, and reads it from its start', async () => {
    const path = join(folder, 'log-6');
    await writeFile(path, `${event('192.0.2.1')}bad\n`);
    const stop = new AbortController();
    let printed = '';
    const stderr = {
      write(text: string) {
        printed += text;
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
    expect(printed.split('\n')).toEqual([
      `${path}, line 2 (byte 95): is not JSON: "bad"`,
      `${path} ${REWRITTEN}. Reading starts again at the beginning; line and byte numbers continue.`,
      `${path}, line 3 (byte 99): is not an object: "null"`,
      `${path}: 2 records could not be read.`,
      '',
    ]);
  });

  it('reports a read error, but does not report an interruption as one', async () => {
    const log = gzipSync(event('192.0.2.1').repeat(8));
    expect((await analyzeRetries(['--follow'], log.subarray(0, -3))).errors).toContain('the file is truncated');
    const stdin = new PassThrough();
    stdin.write(event('192.0.2.1'));
    const interrupted = new AbortController();
    // The clock is read after the first line.
    const now = () => {
      interrupted.abort();
      return Date.UTC(2026, 10, 30);
    };
    const ran = await analyzeRetries(['--follow'], '', { stdin, signal: interrupted.signal, now });
    expect(ran).toMatchObject({ code: 0, errors: '' });
  });

  it('ends without an error when the reader of its output has closed it, even if the log continues', async () => {
    const stdin = new PassThrough();
    const stdout = new Writable({
      write: (_, __, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    stdin.write(event('192.0.2.1').repeat(8));
    const { code, errors } = await analyzeRetries(['--follow', '--threshold', '2'], '', { stdin, stdout });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
});

/** A clock on which every check of the clients is due. */
function clockThatLeaps(): () => number {
  let at = Date.UTC(2026, 10, 30);
  return () => {
    at += 60_000;
    return at;
  };
}
