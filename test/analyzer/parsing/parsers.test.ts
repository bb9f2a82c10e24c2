import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SLACK } from '../../../analyzer/parsing/bytes.ts';
import { readCoreElement } from '../../../analyzer/parsing/event-reader.ts';
import type { ReadEvent } from '../../../analyzer/parsing/read-result.ts';
import { arrayOf, parseChunks } from './parsed.ts';

/** Text with characters that are special in JSON. */
const oddText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', ' ', '},{', '"', '\\', '\\"', ']', '\u0000', '\u2028', '192.0.2.1', 'retry', '__proto__'),
);
const timestamp = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-02-30T00:00:00.000Z',
    '2026-11-30T23:59:60Z',
    '2026-11-30T12:00:00',
    '2026-11-30 12:00:00.5+05:30',
  ),
  fc.constantFrom('1764504000', 1_764_504_000, 1_764_504_000_123, 1_764_504_000.25, -1, null, true, 'soon'),
  fc
    .integer({ min: 1, max: 20 })
    .chain((digits) => fc.bigInt(0n, 10n ** BigInt(digits)))
    .map(Number),
);
const interval = fc.oneof(
  fc.integer({ min: 0, max: 1e9 }),
  fc.double({ noNaN: true }),
  fc.constantFrom(null, '1000', '', -1, 1e21, 0.1, 123456789012345.6, [], {}),
);
const element = fc.record(
  {
    timestamp,
    client_ip: fc.oneof(fc.ipV4(), fc.ipV6(), oddText),
    event_type: fc.oneof(fc.constantFrom('connect', 'disconnect', 'retry'), fc.constantFrom('retr', 'Retry', null, 7)),
    retry_interval_ms: interval,
    note: fc.oneof(
      oddText,
      fc.json({ maxDepth: 3 }).map((json) => JSON.parse(json)),
      fc.double({ noNaN: true }),
    ),
  },
  { requiredKeys: [] },
);

/** JSON as JSON.stringify never writes it: with spaces, escapes, and keys in another order or twice. */
const spelled = fc
  .tuple(
    fc.array(element, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('', ' ', '\t', '  '),
    fc.boolean(),
    fc.infiniteStream(fc.nat(99)),
  )
  .map(([objects, space, escapes, order]) => {
    const members = objects
      .flatMap((object) => Object.entries(object))
      .map(([key, value]) => ({
        text: `${escaped(key, escapes)}${space}:${space}${JSON.stringify(value)}`,
        rank: order.next().value,
      }))
      .toSorted((a, b) => Number(a.rank) - Number(b.rank))
      .map(({ text }) => text);
    return `{${space}${members.join(`${space},${space}`)}${space}}`;
  });

function escaped(key: string, isEscaped: boolean): string {
  return isEscaped ? `"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}"` : JSON.stringify(key);
}

/** JSON with one character removed or replaced. */
const damaged = fc
  .tuple(spelled, fc.nat(), fc.constantFrom('', '"', '{', '}', ',', '0', ':', '\\', 'x', '\u0001'))
  .map(([text, at, other]) => text.slice(0, at % text.length) + other + text.slice((at % text.length) + 1));

const line = fc.oneof(
  { weight: 3, arbitrary: spelled },
  damaged,
  oddText.map((text) => text.replaceAll('\n', ' ')),
);

/** Lengths of chunks. They are so short that an element may span many chunks. */
const chunkLengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 });

function eventsOf(texts: readonly string[]): ReadEvent[] {
  return texts.map(readCoreElement).flatMap((result) => (result.kind === 'event' ? [result.event] : []));
}

/** The text after encoding and decoding, which replaces half surrogate pairs. */
function asRead(text: string): string {
  return Buffer.from(text).toString();
}

describe('lines', () => {
  it('are read like JSON.parse reads each line', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n'), (lines, lineBreak) => {
        const texts = lines.map(asRead);
        const { events, tally } = parseChunks('lines', [texts.join(lineBreak)]);
        const expected = eventsOf(texts);
        expect(events).toEqual(expected);
        const filled = texts.filter((text) => text.trim() !== '');
        expect(tally.rejected).toBe(filled.length - expected.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an array', () => {
  it('is read like JSON.parse reads it, however it is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(spelled, { maxLength: 12 }), chunkLengths, (elements, lengths) => {
        const { events, tally } = parseChunks('array', cut(arrayOf(elements.map(asRead)), lengths));
        expect(events).toEqual(eventsOf(elements.map(asRead)));
        expect(tally.rejected).toBe(elements.length - events.length);
      }),
      { numRuns: 300 },
    );
  });

  it('loses only a broken element, and at most one valid element after it', () => {
    const valid = '{"client_ip":"192.0.2.9","event_type":"retry","timestamp":1764504000}';
    fc.assert(
      fc.property(damaged, chunkLengths, (broken, lengths) => {
        const tail = Array.from({ length: 60 }, () => valid);
        const { events } = parseChunks('array', cut(arrayOf([asRead(broken), ...tail]), lengths));
        expect(events.filter(({ client }) => client === '192.0.2.9').length).toBeGreaterThanOrEqual(59);
      }),
      { numRuns: 300 },
    );
  });

  it('may be followed by lines, however they are cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(spelled, { maxLength: 12 }), chunkLengths, (elements, lengths) => {
        const lines = elements.map((element) => asRead(element).replaceAll(/\s/g, ' '));
        const valid = lines.filter((line) => line.startsWith('{'));
        const { events } = parseChunks('array', cut(['[]', ...valid].join('\n'), lengths));
        expect(events).toEqual(eventsOf(valid));
      }),
      { numRuns: 300 },
    );
  });

  it('can be read without an error whatever bytes it contains', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), chunkLengths, (bytes, lengths) => {
        const { tally } = parseChunks('array', cut(`[${Buffer.from(bytes).toString('latin1')}`, lengths));
        expect(tally.rejected).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

function cut(text: string, lengths: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1;
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

it('SLACK leaves room after a chunk for every word that is compared', () => {
  expect(SLACK).toBeGreaterThanOrEqual('"retry_interval_ms"'.length + '2026-11-30T12:00:00.000Z'.length + 8);
});
