/**
 * Converts the timestamps of logs to epoch milliseconds: ISO 8601 in its extended and basic form with any offset, HTTP
 * dates (RFC 1123), and seconds, milliseconds, microseconds or nanoseconds since 1970 as a number or as text. A timestamp
 * without an offset is UTC on every machine. An invalid timestamp becomes NaN.
 */

const { raw } = String;
const FRACTION = raw`(?:[.,](\d{1,9}))?`;
const ZONE = raw`(?:([Zz])|([+-])(\d\d):?(\d\d))?`;
const EXTENDED = new RegExp(raw`^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)${FRACTION})?${ZONE}$`);
const BASIC = new RegExp(raw`^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(?:(\d\d)${FRACTION})?${ZONE}$`);
const HTTP_DATE = /^([A-Z][a-z]{2}), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const NUMBER = /^\d+(\.\d+)?$/;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A smaller number is in the previous unit, starting with seconds. So each unit covers March 1973 to the year 5138. */
const MILLISECONDS_FROM = 1e11;
const MICROSECONDS_FROM = 1e14;
const NANOSECONDS_FROM = 1e17;
const YEAR_10000 = 253_402_300_800_000;
const MINUTE = 60_000;
const LEAP_SECOND = 60;

export function parseTimestamp(value: unknown): number {
  if (typeof value === 'number') {
    return fromEpoch(value);
  }
  if (typeof value !== 'string') {
    return Number.NaN;
  }
  const text = value.trim();
  return NUMBER.test(text) ? fromEpoch(Number(text)) : fromDate(text);
}

/** @param value time since 1970; its size decides the unit, from seconds to nanoseconds */
export function fromEpoch(value: number): number {
  const milliseconds = toMilliseconds(value);
  return milliseconds >= 0 && milliseconds < YEAR_10000 ? milliseconds : Number.NaN;
}

function toMilliseconds(value: number): number {
  if (value < MILLISECONDS_FROM) {
    return value * 1_000;
  }
  if (value < MICROSECONDS_FROM) {
    return value;
  }
  return value < NANOSECONDS_FROM ? value / 1e3 : value / 1e6;
}

/** @returns 1 to 12; 0 if the name is not an English abbreviation of a month */
export function monthNamed(name: string): number {
  return MONTHS.indexOf(name) + 1;
}

/** @returns midnight UTC; NaN if the day does not exist */
function dayOf(year: number, month: number, day: number): number {
  const at = Date.UTC(year, month - 1, day);
  // Date.UTC would put years below 100 into the 20th century, and February 30 into March.
  const isDay = year >= 100 && month >= 1 && month <= 12 && day > 0 && new Date(at).getUTCDate() === day;
  return isDay ? at : Number.NaN;
}

function fromDate(text: string): number {
  const parts = EXTENDED.exec(text) ?? BASIC.exec(text);
  return parts === null ? fromHttpDate(text) : fromIso(parts);
}

function fromIso(parts: readonly string[]): number {
  const [, year, month, day, hour, minute, second = '00', fraction = '', , sign, offsetHours, offsetMinutes] = parts;
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const midnight = dayOf(Number(year), Number(month), Number(day)) - offset * MINUTE;
  return momentOf(midnight, Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
}

/** If the weekday does not match the date, the timestamp is invalid: either of the two may be incorrect. */
function fromHttpDate(text: string): number {
  const [, weekday = '', day, month = '', year, hour, minute, second] = HTTP_DATE.exec(text) ?? [];
  const midnight = dayOf(Number(year), monthNamed(month), Number(day));
  const isItsWeekday = WEEKDAYS[new Date(midnight).getUTCDay()] === weekday;
  return isItsWeekday ? momentOf(midnight, Number(hour), Number(minute), Number(second), 0) : Number.NaN;
}

/** @param midnight epoch milliseconds of midnight in the time zone of the other arguments */
function momentOf(midnight: number, hour: number, minute: number, second: number, milliseconds: number): number {
  if (hour > 23 || minute > 59 || second > LEAP_SECOND) {
    return Number.NaN;
  }
  const at = midnight + (hour * 60 + minute) * MINUTE + second * 1_000;
  return second === LEAP_SECOND ? leapSecondBefore(at) : at + milliseconds;
}

/**
 * Epoch time has no leap seconds, so one becomes the start of the next second. They only occur at the end of a month in
 * UTC.
 */
function leapSecondBefore(at: number): number {
  const isMonth = at % (24 * 60 * MINUTE) === 0 && new Date(at).getUTCDate() === 1;
  return isMonth ? at : Number.NaN;
}
