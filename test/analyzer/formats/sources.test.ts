import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEAD_BYTES } from '../../../analyzer/formats/detect-format.ts';
import { type ByteSource, fromStream, openFile } from '../../../analyzer/input/byte-source.ts';
import { InputError } from '../../../analyzer/input/input-error.ts';
import { createInlineEngine, createThreadedEngine, type Engine } from '../../../analyzer/input/log-engine.ts';
import { CHUNK_BYTES, LONGEST_ELEMENT } from '../../../analyzer/parsing/chunk-parser.ts';
import { EVENT_TYPES } from '../../../analyzer/parsing/event.ts';
import { addTallies, EMPTY_TALLY, type Tally } from '../../../analyzer/parsing/problem.ts';
import { arrayOf } from '../parsing/parsed.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'));
});
afterAll(() => rm(folder, { recursive: true }));

const AT = Date.UTC(2026, 10, 30, 12);

interface Read {
  readonly format: string;
  /** `client type timestamp`, followed by the interval if there is one. */
  readonly events: readonly string[];
  readonly tally: Tally;
}

async function read(log: string | Buffer, engine: Engine = createInlineEngine()): Promise<Read> {
  return await readSource(await fromStream(Readable.from([Buffer.from(log)], { objectMode: false })), engine);
}

function disposable<Closable extends { readonly close: () => Promise<unknown> }>(closable: Closable) {
  return { ...closable, [Symbol.asyncDispose]: () => closable.close().then(() => undefined) };
}

async function readSource(source: ByteSource, engine: Engine): Promise<Read> {
  const events: string[] = [];
  let tally = EMPTY_TALLY;
  const format = await engine.run(
    source,
    { isFollowed: false, name: 'log' },
    ({ length, names, clients, types, timestamps, intervals }, chunk) => {
      tally = addTallies(tally, chunk);
      for (let row = 0; row < length; row += 1) {
        const interval = Number.isNaN(intervals[row]) ? '' : ` ${intervals[row]}`;
        events.push(`${names[clients[row] ?? 0]} ${EVENT_TYPES[types[row] ?? 0]} ${timestamps[row]}${interval}`);
      }
    },
  );
  return { format, events, tally };
}

const CORE = {
  timestamp: '2026-11-30T12:00:00.000Z',
  client_ip: '192.0.2.1',
  event_type: 'retry',
  retry_interval_ms: 500,
};
const CORE_EVENT = `192.0.2.1 retry ${AT} 500`;
const ISSUER = { time: '2026-11-30T12:00:00.000Z', level: 'info', event: 'session', viewer: 'v'.repeat(32) };
const CLOUDFRONT = {
  date: '2026-11-30',
  time: '12:00:00',
  'c-ip': '2001:db8::1',
  'cs-method': 'POST',
  'sc-status': '200',
};
const W3C = '#Version: 1.0\n#Fields: date time c-ip cs-method sc-status cs-protocol\n2026-11-30\t12:00:00\t192.0.2.1';
const COMBINED = '192.0.2.1 - - [30/Nov/2026:13:00:00 +0100]';
const NGINX = { remote_addr: '192.0.2.1', msec: '1796040000.125', request_method: 'POST', status: 503 };

describe('the format is detected from the content', () => {
  it.each<[string, string, string, string]>([
    ['an array', 'array', JSON.stringify([CORE]), CORE_EVENT],
    ['an array over lines', 'array', JSON.stringify([CORE], null, 2), CORE_EVENT],
    ['NDJSON', 'ndjson', JSON.stringify(CORE), CORE_EVENT],
    ['NDJSON after a broken line', 'ndjson', `{"client\n${JSON.stringify(CORE)}\n`, CORE_EVENT],
    ['NDJSON with a byte order mark and CRLF', 'ndjson', `\ufeff${JSON.stringify(CORE)}\r\n`, CORE_EVENT],
    [
      'an issued key',
      'issuer',
      JSON.stringify({ ...ISSUER, code: 'issued', status: 200 }),
      `${'v'.repeat(32)} connect ${AT}`,
    ],
    [
      'a refusal',
      'issuer',
      JSON.stringify({ ...ISSUER, code: 'rate_limited', status: 429 }),
      `${'v'.repeat(32)} retry ${AT}`,
    ],
    [
      'issuer lines between Lambda’s own lines',
      'issuer',
      `START RequestId: 1\n2026-11-30T12:00:01 [$LATEST]0 ${JSON.stringify({ ...ISSUER, code: 'issued', status: 200 })}\nEND`,
      `${'v'.repeat(32)} connect ${AT}`,
    ],
    ['CloudFront, JSON', 'cloudfront-json', JSON.stringify(CLOUDFRONT), `2001:db8::1 connect ${AT}`],
    [
      'CloudFront, JSON, with milliseconds',
      'cloudfront-json',
      JSON.stringify({ ...CLOUDFRONT, 'timestamp(ms)': `${AT + 7}` }),
      `2001:db8::1 connect ${AT + 7}`,
    ],
    ['CloudFront, W3C', 'w3c', `${W3C}\tPOST\t429\thttps\n`, `192.0.2.1 retry ${AT}`],
    ['a client that disconnected before the response', 'w3c', `${W3C}\tGET\t000\thttps\n`, `192.0.2.1 retry ${AT}`],
    ['a WebSocket', 'w3c', `${W3C}\tGET\t200\twss\n`, `192.0.2.1 connect ${AT}`],
    [
      'nginx, combined',
      'nginx-combined',
      `${COMBINED} "POST /session HTTP/1.1" 502 0 "-" "a b"\n`,
      `192.0.2.1 retry ${AT}`,
    ],
    [
      'an upgrade to WebSocket',
      'nginx-combined',
      `${COMBINED} "GET /ws HTTP/1.1" 101 0 "-" "-"`,
      `192.0.2.1 connect ${AT}`,
    ],
    ['nginx, JSON', 'nginx-json', JSON.stringify(NGINX), '192.0.2.1 retry 1796040000125'],
    [
      'nginx, JSON, with whole seconds',
      'nginx-json',
      JSON.stringify({ ...NGINX, msec: undefined, time_local: '30/Nov/2026:12:00:00 +0000' }),
      `192.0.2.1 retry ${AT}`,
    ],
  ])('%s', async (_, format, log, event) => {
    const plain = await read(log);
    expect({ format: plain.format, events: plain.events }).toEqual({ format, events: [event] });
    expect((await read(gzipSync(log))).events).toEqual([event]);
  });

  it.each(['', ' \n', 'hello\n', '{"client":1}\n', '\ufffe{'])('%j is rejected with an InputError', async (log) => {
    await expect(read(log)).rejects.toMatchObject({ name: 'InputError' });
  });
});

describe('a request that is not a connection attempt is counted only as "other"', () => {
  it.each([
    ['an image', `${COMBINED} "GET /a.png HTTP/1.1" 200 9 "-" "-"`],
    ['a missing file', `${COMBINED} "GET /favicon.ico HTTP/1.1" 404 9 "-" "-"`],
    ['a preflight request', `${COMBINED} "OPTIONS /session HTTP/1.1" 204 0 "-" "-"`],
    ['a preflight request in the issuer’s log', JSON.stringify({ ...ISSUER, code: 'preflight', status: 204 })],
  ])('%s', async (_, log) => {
    const { events, tally } = await read(log);
    expect(events).toEqual([]);
    expect(tally).toMatchObject({ other: 1, rejected: 0 });
  });
});

describe('invalid input is counted, and shown with its position and value', () => {
  const valid = JSON.stringify(CORE);
  const long = `{"client_ip":"192.0.2.3","note":"${'x'.repeat(3 * CHUNK_BYTES)}","event_type":"retry"}`;
  const deep = `{"client_ip":"192.0.2.3","timestamp":1,"note":${'['.repeat(9_999)}${']'.repeat(9_999)},"event_type":"retry"}`;

  it.each<[string, string, object]>([
    [
      'not JSON',
      `${valid}\n{"client_ip":\n`,
      { line: 2, offset: valid.length + 1, complaint: 'is not JSON', value: '{"client_ip":' },
    ],
    ['null', `${valid}\nnull\n`, { line: 2, complaint: 'is not an object' }],
    ['no client', `${valid}\n{"client_ip":null}`, { complaint: 'has no client: client_ip is null' }],
    [
      'a client name that is too long',
      JSON.stringify({ ...CORE, client_ip: 'é'.repeat(129) }),
      { complaint: `has a client name that is longer than 256 bytes: client_ip is "${'é'.repeat(39)}…` },
    ],
    [
      'a client name with half a surrogate pair',
      valid.replace('192.0.2.1', '\\ud800'),
      { complaint: 'has a client name that is not valid Unicode: client_ip is "\\ud800"' },
    ],
    [
      'a number that is too large',
      valid.replace('500', '1e400'),
      {
        complaint: 'has no valid interval, and is counted without one: retry_interval_ms is too large for a number',
      },
    ],
    [
      'an invalid type',
      `{"client_ip":"a","event_type":"Retry"}`,
      { complaint: 'has none of the event types connect, disconnect, retry: event_type is "Retry"' },
    ],
    [
      'an invalid timestamp',
      valid.replace('2026-11-30T', '2026-02-30T'),
      { complaint: 'has no valid timestamp, and is counted without one: timestamp is "2026-02-30T12:00:00.000Z"' },
    ],
    [
      'a negative interval',
      valid.replace('500', '-500'),
      { complaint: 'has no valid interval, and is counted without one: retry_interval_ms is -500' },
    ],
    [
      'a line that is too long',
      `${valid}\n${long}\n${valid}\n`,
      { line: 2, complaint: `is longer than ${LONGEST_ELEMENT / 1024} KiB and was skipped` },
    ],
    [
      'an element that is too long',
      `[${valid},${long},${valid}]`,
      { offset: valid.length + 2, complaint: `is longer than ${LONGEST_ELEMENT / 1024} KiB and was skipped` },
    ],
    [
      'an array that is truncated',
      `[${valid},${valid.slice(0, 20)}`,
      { offset: valid.length + 2, value: valid.slice(0, 20) },
    ],
    ['an array without an end', `[${valid},`, { offset: valid.length + 2 }],
    ['an extra comma', `[${valid},]`, { offset: valid.length + 2 }],
    ['a missing comma', `[${valid}${valid}]`, { offset: valid.length + 1 }],
    ['text after the array', `[${valid}] and`, { offset: valid.length + 3 }],
  ])('%s', async (_, log, problem) => {
    const { events, tally } = await read(log);
    expect(tally.problems).toMatchObject([problem]);
    expect(tally.rejected + tally.incomplete).toBe(1);
    expect(events).toHaveLength(log.split(valid).length - 1 + tally.incomplete);
  });

  it.each(['\n', ''])('an array after an array is read too, with %j between them', async (between) => {
    const { events, tally } = await read([[valid, valid], [valid], [], [valid]].map(arrayOf).join(between));
    expect({ events: events.length, rejected: tally.rejected }).toEqual({ events: 4, rejected: 0 });
  });

  it.each([
    [`[${valid}]\n${valid}\n${valid}`, 3],
    [`[]\n${valid}\n\n${valid}\n`, 2],
    [`[${valid}]${valid}\r\n${valid}\r\n[${valid},${valid}]\n${valid}`, 6],
  ])('lines after an array are read too: %#', async (log, count) => {
    const { events, tally } = await read(log);
    expect({ events: events.length, rejected: tally.rejected }).toEqual({ events: count, rejected: 0 });
  });

  it.each<[string, number]>([
    [`[${valid}]\n[${valid},`, 2],
    [`[${valid}]\n[bad,${valid}]`, 2],
    [`[${valid}]\n${valid}\nbad, {"\n${valid}`, 3],
    [`[${valid}]\n${valid}\n${valid.slice(0, 30)}`, 2],
    [`[${valid}]\n${valid}\n${valid.replace(':', ' ')}\n${valid}`, 3],
  ])('invalid input after an array is reported: %#', async (log, count) => {
    const { events, tally } = await read(log);
    expect({ events: events.length, rejected: tally.rejected }).toEqual({ events: count, rejected: 1 });
  });

  it.each([
    ['that span several lines', JSON.stringify(CORE, null, 2)],
    ['without a line break between them', `${valid}${valid}`],
  ])('objects %s are rejected, with the command that converts them', async (_, log) => {
    await expect(read(log)).rejects.toThrow('jq -c .');
    await expect(read('{"level":"info"}')).rejects.not.toThrow('jq -c .');
  });

  it('a client name that is not UTF-8 is rejected', async () => {
    const { events, tally } = await read(Buffer.from([valid, valid.replace('192.0.2.1', '\xe9')].join('\n'), 'latin1'));
    expect(events).toEqual([CORE_EVENT]);
    expect(tally.problems).toMatchObject([{ line: 2, complaint: expect.stringContaining('not valid Unicode') }]);
  });

  it('a stream of text is read like a stream of bytes', async () => {
    const { events } = await readSource(await fromStream(Readable.from([valid, '\n', valid])), createInlineEngine());
    expect(events).toEqual([CORE_EVENT, CORE_EVENT]);
  });

  it.each([
    ['read', HEAD_BYTES, 2, 0],
    ['reported if it is too long', LONGEST_ELEMENT, 1, 1],
  ])('a first line longer than the bytes used for detection is %s', async (_, length, count, rejected) => {
    const first = JSON.stringify({ ...CORE, note: 'x'.repeat(length) });
    const { format, events, tally } = await read(`${first}\n${valid}\n`);
    expect({ format, events: events.length, rejected: tally.rejected }).toEqual({
      format: 'ndjson',
      events: count,
      rejected,
    });
  });

  it('nesting of any depth is read', async () => {
    expect((await read(`[${deep}]`)).events).toEqual(['192.0.2.3 retry 1000']);
    expect((await read(deep)).events).toEqual(['192.0.2.3 retry 1000']);
  });

  it('the last value counts if a key occurs twice, as in JSON.parse', async () => {
    const { events } = await read(valid.replace('{', '{"client_ip":"192.0.2.9","retry_interval_ms":1,'));
    expect(events).toEqual([CORE_EVENT]);
  });

  it('at most ten problems are shown', async () => {
    const { tally } = await read(`${valid}\n${'bad\n'.repeat(25)}`);
    expect(tally.rejected).toBe(25);
    expect(tally.problems.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('gzip data may be followed by more gzip data or zeros', async () => {
    const { events, tally } = await read(Buffer.concat([gzipSync(valid), gzipSync(`\n${valid}`), Buffer.alloc(600)]));
    expect({ events, rejected: tally.rejected }).toEqual({ events: [CORE_EVENT, CORE_EVENT], rejected: 0 });
  });
});

describe('invalid gzip data is read as far as possible, and then reported', () => {
  const valid = JSON.stringify(CORE);
  const lines = Array.from({ length: 20_000 }, (_, index) => valid.replace('500', `${index}`));
  const small = gzipSync(`${valid}\n${valid}`);
  const large = gzipSync(lines.join('\n'));
  const largeArray = gzipSync(arrayOf(lines));
  const CUT_OFF = 'the gzip data is incomplete: the file is truncated';
  const DAMAGED = 'the gzip data is damaged';

  it.each<[string, Buffer, string, (events: number) => boolean]>([
    [
      'with text after it',
      Buffer.concat([small, Buffer.from('and more')]),
      'the data after the gzip data is not gzip, and was skipped',
      (events) => events === 2,
    ],
    ['without its last bytes', small.subarray(0, -2), CUT_OFF, (events) => events === 2],
    ['with an invalid checksum', damaged(small, small.length - 8), DAMAGED, (events) => events === 2],
    ['truncated near its end', large.subarray(0, -20), CUT_OFF, (events) => events > 19_900],
    ['truncated in the middle', large.subarray(0, large.length / 2), CUT_OFF, (events) => events > 9_000],
    ['damaged at its end', damaged(large, large.length - 8), DAMAGED, (events) => events === 20_000],
  ])('%s', async (_, compressed, complaint, isExpected) => {
    // The size of the chunks must not matter.
    for (const chunk of [compressed.length, 1_000]) {
      const chunks = Array.from({ length: Math.ceil(compressed.length / chunk) }, (__, index) =>
        compressed.subarray(index * chunk, (index + 1) * chunk),
      );
      const source = await fromStream(Readable.from(chunks));
      const { events, tally } = await readSource(source, createInlineEngine());
      expect(events.length).toSatisfy(isExpected);
      expect({ rejected: tally.rejected, readError: source.readError() }).toEqual({
        rejected: 0,
        readError: complaint,
      });
    }
  });

  it.each<[string, Buffer, string, number]>([
    ['truncated near its end', largeArray.subarray(0, -20), CUT_OFF, 19_900],
    ['truncated in the middle', largeArray.subarray(0, largeArray.length / 2), CUT_OFF, 9_000],
    ['damaged at its end', damaged(largeArray, largeArray.length - 8), DAMAGED, 19_999],
  ])('an array %s is reported once, and not also as an incomplete array', async (_, compressed, complaint, least) => {
    const path = join(folder, 'array.gz');
    await writeFile(path, compressed);
    for (const engine of [createInlineEngine(), createThreadedEngine()]) {
      await using source = disposable(await openFile(path));
      await using closed = disposable(engine);
      const { events, tally } = await readSource(source, closed);
      expect(events.length).toBeGreaterThan(least);
      expect({ rejected: tally.rejected, readError: source.readError() }).toEqual({
        rejected: 0,
        readError: complaint,
      });
    }
  });

  it('damaged in the middle', async () => {
    const source = await fromStream(
      Readable.from([Buffer.from(large).fill(0xff, large.length / 2, large.length / 2 + 99)]),
    );
    const { events } = await readSource(source, createInlineEngine());
    expect(events.length).toBeGreaterThan(5_000);
    expect(source.readError()).toBe(DAMAGED);
  });

  function damaged(compressed: Buffer, at: number): Buffer {
    const bytes = Buffer.from(compressed);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  }
});

describe('a reader thread', () => {
  const elements = Array.from({ length: 40_000 }, (_, index) =>
    JSON.stringify({ ...CORE, client_ip: `client-${(index * 7_919) % 30_011}`, retry_interval_ms: index }),
  );
  elements[20_000] = 'bad';
  const A_CHUNK = 70_000;
  const ARRAY = `[${elements.join(',')}]`;
  const LINES = elements.join('\n');

  it.each<[string, string, (log: string) => Promise<ByteSource>]>([
    ['NDJSON from a stream', LINES, streamOf],
    ['NDJSON from a file', LINES, fileOf],
    ['an array from a stream', ARRAY, streamOf],
    ['an array from a file', ARRAY, fileOf],
  ])('reads %s with the same result as without a thread', async (_, log, open) => {
    const alone = await read(log);
    expect(alone.events).toHaveLength(39_999);
    await using engine = disposable(createThreadedEngine());
    await using source = disposable(await open(log));
    expect(await readSource(source, engine)).toEqual(alone);
    // The thread can read another log.
    await using again = disposable(await open(log));
    expect(await readSource(again, engine)).toEqual(alone);
  });

  it.each<[string, (log: string) => Promise<ByteSource>]>([
    ['stream', streamOf],
    ['file', fileOf],
  ])('rejects a %s that is not a log', async (_, open) => {
    await using engine = disposable(createThreadedEngine());
    await using source = disposable(await open('no log\n'));
    await expect(readSource(source, engine)).rejects.toThrow(InputError);
  });

  it('keeps the clients’ names correct when it resets a full table of names', async () => {
    const names = Array.from({ length: 36_000 }, (_, index) => `${'x'.repeat(240)}${index}`);
    const clients = [...names, ...names.toReversed()];
    const log = clients.map((name) => JSON.stringify({ ...CORE, client_ip: name })).join('\n');
    await using engine = disposable(createThreadedEngine());
    await using source = disposable(await fileOf(log));
    const { events } = await readSource(source, engine);
    expect(events).toEqual(clients.map((name) => `${name} retry ${AT} 500`));
  });

  it('stops with the error that the counting throws', async () => {
    await using engine = disposable(createThreadedEngine());
    await using source = disposable(await fileOf(LINES));
    const counting = engine.run(source, { isFollowed: false, name: 'log' }, () => {
      throw new Error('enough');
    });
    await expect(counting).rejects.toThrow('enough');
  });

  function streamOf(log: string): Promise<ByteSource> {
    const bytes = Buffer.from(log);
    const chunks = Array.from({ length: Math.ceil(bytes.length / A_CHUNK) }, (_, index) =>
      bytes.subarray(index * A_CHUNK, (index + 1) * A_CHUNK),
    );
    return fromStream(Readable.from(chunks));
  }

  async function fileOf(log: string): Promise<ByteSource> {
    const path = join(folder, 'log');
    await writeFile(path, log);
    return await openFile(path);
  }
});
