import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../resilience/index.ts';

/** A Monday. */
const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const NOW_S = NOW / 1000;
const LONGEST = 2 ** 31 - 1;

describe('Retry-After', () => {
  it.each([
    ['1', 1_000],
    ['120', 120_000],
    ['007', 7_000],
    ['Mon, 30 Nov 2026 12:00:09 GMT', 9_000],
    ['Monday, 30-Nov-26 12:00:09 GMT', 9_000],
    ['Mon Nov 30 12:00:09 2026', 9_000],
    ['Tuesday, 01-Dec-26 12:00:00 GMT', 86_400_000],
    ['Wednesday, 02-Dec-26 12:00:00 GMT', 172_800_000],
    ['Thursday, 03-Dec-26 12:00:00 GMT', 259_200_000],
    ['Saturday, 05-Dec-26 12:00:00 GMT', 432_000_000],
    ['Tue Dec  1 12:00:00 2026', 86_400_000],
  ])('%j is %i ms', (value, ms) => {
    expect(parseRetryAfter(new Headers({ 'retry-after': value }), NOW)).toBe(ms);
  });

  it.each([
    ['0'],
    ['Mon, 30 Nov 2026 12:00:00 GMT'],
    ['Sun, 06 Nov 1994 08:49:37 GMT'],
    ['Sunday, 06-Nov-94 08:49:37 GMT'],
    ['Sun Nov  6 08:49:37 1994'],
  ])('%j is 0 or in the past, which gives 50 ms', (value) => {
    expect(parseRetryAfter({ 'retry-after': value }, NOW)).toBe(50);
  });

  it.each([
    [''],
    [' '],
    ['-1'],
    ['+1'],
    ['1.5'],
    ['1e3'],
    ['0x10'],
    ['1s'],
    ['1, 2'],
    ['١'],
    ['NaN'],
    ['Infinity'],
    ['Invalid Date'],
    ['soon'],
    ['2026-11-30T12:00:09Z'],
    ['30 Nov 2026 12:00:09 GMT'],
    ['mon, 30 nov 2026 12:00:09 gmt'],
    ['Mon, 30 Nov 2026 12:00:09'],
    ['Mon, 30 Nov 2026 12:00:09 UTC'],
    ['Mon, 30 Nov 2026 12:00:09 +0000'],
    ['Mon, 30 Nov 2026 24:00:09 GMT'],
    ['Tue, 30 Nov 2026 12:00:09 GMT'],
    ['Wed, 31 Feb 2027 12:00:00 GMT'],
    ['Mon, 30-Nov-26 12:00:09 GMT'],
    ['Tue Dec 1 12:00:00 2026'],
  ])('%j is malformed and ignored', (value) => {
    expect(parseRetryAfter({ 'Retry-After': value }, NOW)).toBeUndefined();
  });

  it('a two-digit year is the latest matching year at most 50 years ahead', () => {
    expect(parseRetryAfter({ 'retry-after': 'Monday, 30-Nov-76 12:00:00 GMT' }, NOW)).toBe(LONGEST);
    expect(parseRetryAfter({ 'retry-after': 'Wednesday, 30-Nov-77 12:00:00 GMT' }, NOW)).toBe(50);
  });

  it('returns at most the longest delay of a timer', () => {
    expect(parseRetryAfter({ 'retry-after': '9'.repeat(400) }, NOW)).toBe(LONGEST);
  });
});

describe('retry-after-ms', () => {
  it.each([
    ['70', 70],
    ['1500', 1_500],
    ['70.2', 71],
    ['0', 50],
    ['20', 50],
    ['-5', undefined],
    ['', undefined],
    ['.5', undefined],
    ['1s', undefined],
  ])('%j is %s ms', (value, ms) => {
    expect(parseRetryAfter({ 'retry-after-ms': value }, NOW)).toBe(ms);
  });
});

describe('x-ratelimit-reset-*', () => {
  it.each([
    ['1s', 1_000],
    ['6m0s', 360_000],
    ['1h0m30s', 3_630_000],
    ['8.64s', 8_640],
    ['120ms', 120],
    ['1m3ms', 60_003],
    ['2m59.56s', 179_560],
    ['0s', 50],
    ['2h', 7_200_000],
    ['s', undefined],
    ['', undefined],
    ['-1s', undefined],
    ['1s 2ms', undefined],
    ['0s6m', undefined],
    ['1.5m', undefined],
  ])('%j is %s ms', (value, ms) => {
    expect(parseRetryAfter({ 'x-ratelimit-reset-requests': value }, NOW)).toBe(ms);
  });

  it('uses the longest of several', () => {
    const headers = { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' };
    expect(parseRetryAfter(headers, NOW)).toBe(360_000);
  });

  it('ignores a quota that is not used up', () => {
    const headers = {
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1s',
    };
    expect(parseRetryAfter(headers, NOW)).toBe(1_000);
  });
});

describe('X-RateLimit-Reset', () => {
  it.each([
    [String(NOW_S + 3), 3_000],
    [String(NOW_S), 50],
    ['1000000000', 50],
    ['30', 30_000],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
  ])('%j is %s ms', (value, ms) => {
    expect(parseRetryAfter({ 'X-RateLimit-Reset': value }, NOW)).toBe(ms);
  });

  it('is ignored while the quota is not used up', () => {
    const headers = { 'x-ratelimit-reset': String(NOW_S + 3), 'x-ratelimit-remaining': '7' };
    expect(parseRetryAfter(headers, NOW)).toBeUndefined();
  });
});

describe('several headers', () => {
  it('retry-after-ms takes precedence over Retry-After', () => {
    expect(parseRetryAfter({ 'retry-after': '2', 'retry-after-ms': '1500' }, NOW)).toBe(1_500);
  });

  it('Retry-After takes precedence over a reset', () => {
    expect(parseRetryAfter({ 'retry-after': '2', 'x-ratelimit-reset-requests': '6m0s' }, NOW)).toBe(2_000);
  });

  it('a malformed header is skipped', () => {
    const headers = { 'retry-after-ms': 'x', 'retry-after': 'x', 'x-ratelimit-reset-requests': '1s' };
    expect(parseRetryAfter(headers, NOW)).toBe(1_000);
  });
});

const HEADER = fc.constantFrom('retry-after', 'retry-after-ms', 'x-ratelimit-reset', 'x-ratelimit-reset-tokens');
const ALMOST = fc.stringMatching(/^[0-9-+.eE:, GMTadhmnosu]{0,30}$/);

describe('any text', () => {
  it('gives undefined, or whole milliseconds from 50 to the longest delay of a timer', () => {
    fc.assert(
      fc.property(HEADER, fc.oneof(fc.string(), ALMOST, fc.double().map(String)), fc.integer(), (name, value, now) => {
        const ms = parseRetryAfter({ [name]: value }, now) ?? 50;
        expect(Number.isInteger(ms) && ms >= 50 && ms <= LONGEST).toBe(true);
      }),
    );
  });

  it('a date that JavaScript prints is parsed to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000 }), (seconds) => {
        const date = new Date(NOW + seconds * 1000).toUTCString();
        expect(parseRetryAfter({ 'retry-after': date }, NOW)).toBe(seconds * 1000);
      }),
    );
  });
});
