/** Reads `"2026-11-30T12:00:00.000Z"` from bytes with the same result as timestamp.ts. Any other form is left to that file. */
import { COLON, DOT, isDigit, UNUSUAL, word, ZERO } from './bytes.ts';
import { parseTimestamp } from './timestamp.ts';

const Z_QUOTE = word('Z"');
const LETTER_T = 0x54;

/** Midnight of the last event's day, cached because consecutive events are mostly on the same day. */
export interface Day {
  year: number;
  month: number;
  date: number;
  midnight: number;
}

export function createDay(): Day {
  return { year: 0, month: 0, date: 0, midnight: Number.NaN };
}

/**
 * @param from position of the opening quote
 * @returns position after the timestamp, whose epoch milliseconds are in `into`; or {@link UNUSUAL}
 */
export function scanTimestamp(view: DataView, from: number, day: Day, into: { value: number }): number {
  const midnight = midnightAt(view, from + 1, day);
  const time = timeAt(view, from + 11);
  // Written with `!`, because a comparison with NaN is false.
  if (!(midnight + time >= 0)) {
    return UNUSUAL;
  }
  const fractionAt = from + 20;
  if (view.getUint8(fractionAt) !== DOT) {
    into.value = midnight + time;
    return view.getInt16(fractionAt, true) === Z_QUOTE ? fractionAt + 2 : UNUSUAL;
  }
  const milliseconds = twoDigits(view, fractionAt + 1) * 10 + (twoDigits(view, fractionAt + 2) % 10);
  into.value = midnight + time + milliseconds;
  return milliseconds >= 0 && view.getInt16(fractionAt + 4, true) === Z_QUOTE ? fractionAt + 6 : UNUSUAL;
}

function midnightAt(view: DataView, at: number, day: Day): number {
  const year = view.getInt32(at, true);
  const month = view.getInt32(at + 4, true);
  const date = view.getInt16(at + 8, true);
  if (year !== day.year || month !== day.month || date !== day.date) {
    let text = '';
    for (let index = at; index < at + 10; index += 1) {
      text += String.fromCharCode(view.getUint8(index));
    }
    day.year = year;
    day.month = month;
    day.date = date;
    day.midnight = parseTimestamp(`${text}T00:00:00Z`);
  }
  return day.midnight;
}

/** @returns milliseconds since midnight, or NaN */
function timeAt(view: DataView, at: number): number {
  const hours = twoDigits(view, at + 1);
  const minutes = twoDigits(view, at + 4);
  const seconds = twoDigits(view, at + 7);
  const isTime =
    view.getUint8(at) === LETTER_T &&
    view.getUint8(at + 3) === COLON &&
    view.getUint8(at + 6) === COLON &&
    hours <= 23 &&
    minutes <= 59 &&
    seconds <= 59;
  return isTime ? ((hours * 60 + minutes) * 60 + seconds) * 1_000 : Number.NaN;
}

/** @returns NaN if the bytes are not digits */
function twoDigits(view: DataView, at: number): number {
  const tens = view.getUint8(at);
  const ones = view.getUint8(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN;
}
