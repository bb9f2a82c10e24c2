/**
 * Moments as logs write them, to epoch milliseconds: ISO 8601 with any offset, seconds or milliseconds since 1970 as a
 * number or as text. A moment without an offset is UTC, on every machine. What cannot be read is NaN.
 */

const ISO = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:([Zz])|([+-])(\d\d):?(\d\d))?$/;
const NUMBER = /^\d{1,16}(\.\d+)?$/;

/** Below: seconds, until the year 5138. From it on: milliseconds, since March 1973. */
const MILLISECONDS_FROM = 1e11;
const YEAR_10000 = 253_402_300_800_000;
const MINUTE = 60_000;

export function parseTimestamp(value: unknown): number {
  if (typeof value === 'number') {
    return fromEpoch(value);
  }
  if (typeof value !== 'string') {
    return Number.NaN;
  }
  const text = value.trim();
  return NUMBER.test(text) ? fromEpoch(Number(text)) : fromIso(text);
}

/** @param value seconds or milliseconds since 1970, by its size */
export function fromEpoch(value: number): number {
  const milliseconds = value < MILLISECONDS_FROM ? value * 1_000 : value;
  return milliseconds >= 0 && milliseconds < YEAR_10000 ? milliseconds : Number.NaN;
}

/** Midnight UTC; NaN for a day that no month has. */
export function dayOf(year: number, month: number, day: number): number {
  const at = Date.UTC(year, month - 1, day);
  // Years below 100 would be of the last century, and February 30 would be in March.
  return year >= 100 && month <= 12 && day > 0 && new Date(at).getUTCDate() === day ? at : Number.NaN;
}

function fromIso(text: string): number {
  const parts = ISO.exec(text);
  if (parts === null) {
    return Number.NaN;
  }
  const [, year, month, day, hour, minute, second, fraction = '', , sign, offsetHours, offsetMinutes] = parts;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return Number.NaN;
  }
  const time = (Number(hour) * 60 + Number(minute)) * MINUTE + Number(second) * 1_000;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  return dayOf(Number(year), Number(month), Number(day)) + time + milliseconds - offset * MINUTE;
}
