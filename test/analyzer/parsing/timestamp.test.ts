import { describe, expect, it } from 'vitest';
import { parseLocalTime } from '../../../analyzer/formats/nginx.ts';
import { SLACK, UNUSUAL } from '../../../analyzer/parsing/bytes.ts';
import { createElementScanner } from '../../../analyzer/parsing/fast-event-scanner.ts';
import { parseTimestamp } from '../../../analyzer/parsing/timestamp.ts';

const AT = Date.UTC(2026, 0, 1);
const NEVER = Number.NaN;

/** A timestamp as written in JSON, and its epoch milliseconds. */
type Form = readonly [json: string, at: number];

/** Most logs have these forms. The exact reader would be several times slower for them. */
const USUAL: readonly Form[] = [
  ['"2026-01-01T00:00:00.000Z"', AT],
  ['"2026-01-01T00:00:00.123Z"', AT + 123],
  ['"2026-01-01T23:59:59Z"', AT + 86_399_000],
  ['1767225600', AT],
  ['1767225600.125', AT + 125],
  ['99999999999', 99_999_999_999_000],
  ['100000000000', 100_000_000_000],
  ['1767225600123', AT + 123],
  ['99999999999999', 99_999_999_999_999],
  ['100000000000000', 100_000_000_000],
  ['1767225600123000', AT + 123],
  ['1767225600123456', AT + 123.456],
  ['8999999999999999', 8_999_999_999_999_999 / 1e3],
];

const LESS_USUAL: readonly Form[] = [
  ['9007199254740991', Number.MAX_SAFE_INTEGER / 1e3],
  ['9007199254740993', 2 ** 53 / 1e3],
  ['90000000000000000', 90_000_000_000_000],
  ['100000000000000000', 100_000_000_000],
  ['1767225600123000000', AT + 123],
  ['1.7672256e9', AT],
  ['"1767225600"', AT],
  ['" 1767225600123 "', AT + 123],
  ['"1767225600123000"', AT + 123],
  ['"1767225600123000000"', AT + 123],
  ['"1767225600.125"', AT + 125],
  ['"2026-01-01T00:00Z"', AT],
  ['"2026-01-01 09:00+09:00"', AT],
  ['"2026-01-01T00:00"', AT],
  ['"2026-01-01T00:00:00"', AT],
  ['"2026-01-01T00:00:00,5-0030"', AT + 1_800_500],
  ['"2026-01-01t00:00:00.123456789z"', AT + 123],
  ['"20260101T000000Z"', AT],
  ['"20260101T000000.123Z"', AT + 123],
  ['"20260101T090000+0900"', AT],
  ['"20260101T0000Z"', AT],
  ['"20260101T000000"', AT],
  ['"2025-12-31T23:59:60Z"', AT],
  ['"2025-12-31T23:59:60.999Z"', AT],
  ['"2026-01-01T08:59:60+09:00"', AT],
  ['"20251231T235960Z"', AT],
  ['"Thu, 01 Jan 2026 00:00:00 GMT"', AT],
  ['"Wed, 31 Dec 2025 23:59:60 GMT"', AT],
];

const UNREADABLE: readonly string[] = [
  '-1',
  '1e21',
  '1e400',
  '"-1767225600"',
  '"1767225600e0"',
  '"999999999999999999999"',
  '"2026-02-29T00:00:00Z"',
  '"2026-00-15T00:00:00Z"',
  '"2026-13-01T00:00:00Z"',
  '"2026-01-01T24:00:00Z"',
  '"2026-01-01T00:60Z"',
  '"2026-01-01T00:00:61Z"',
  '"2026-01-01T00:00.5Z"',
  '"2026-01-01T00Z"',
  '"2026-01-01"',
  '"2026-01-01T000000Z"',
  '"20260101T00:00:00Z"',
  '"20260101T00000Z"',
  '"20260230T000000Z"',
  // A leap second cannot occur at these times.
  '"2026-01-01T12:34:60Z"',
  '"2026-01-14T23:59:60Z"',
  '"2025-12-31T23:59:60+09:00"',
  // This day is a Thursday.
  '"Fri, 01 Jan 2026 00:00:00 GMT"',
  '"Thu, 01 Jan 2026 00:00:00 UTC"',
  '"Thu, 01 Jan 2026 00:00:00 +0000"',
  '"Thu, 32 Jan 2026 00:00:00 GMT"',
  '"Thu, 01 Foo 2026 00:00:00 GMT"',
  '"Thu, 01 Jan 2026 24:00:00 GMT"',
];

const ALL: readonly Form[] = [...USUAL, ...LESS_USUAL, ...UNREADABLE.map((json): Form => [json, NEVER])];

/** Elements as JSON.stringify writes them, and in another form. */
const ELEMENTS = [
  (json: string) => `{"timestamp":${json},"client_ip":"192.0.2.1","event_type":"retry"}`,
  (json: string) => `{ "client_ip": "192.0.2.1", "event_type": "retry", "timestamp": ${json} }`,
];

/** @returns undefined if the scanner leaves the element to the exact reader */
function scan(element: string): number | undefined {
  const bytes = Buffer.alloc(element.length + SLACK);
  bytes.write(element);
  const scanner = createElementScanner(false);
  const end = scanner.scan(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
  return end === UNUSUAL ? undefined : scanner.scanned.timestamp;
}

describe('a timestamp', () => {
  it.each(ALL)('%s is %d', (json, at) => {
    expect(parseTimestamp(JSON.parse(json))).toBe(at);
  });

  it.each(ALL)('%s has the same value in the fast scanner, or is left to the exact reader', (json, at) => {
    for (const element of ELEMENTS) {
      expect([at, undefined]).toContain(scan(element(json)));
    }
  });

  it.each(USUAL)('%s is read by the fast scanner', (json, at) => {
    expect(ELEMENTS.map((element) => scan(element(json)))).toEqual([at, at]);
  });

  it.each([
    ['01/Jan/2026:01:00:00 +0100', AT],
    ['31/Dec/2025:23:59:60 +0000', AT],
    ['15/Foo/2026:00:00:00 +0000', NEVER],
  ])('%s in nginx’s format is %d', (text, at) => {
    expect(parseLocalTime(text)).toBe(at);
  });
});
