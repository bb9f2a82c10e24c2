/**
 * Reads a JSON number without sign and exponent from bytes. The result is the same double that JSON.parse returns: whole
 * numbers up to 2^53, all numbers of 15 digits and powers of ten up to 10^15 are exact doubles, so the division rounds only
 * once, as the standard requires.
 */
import { DOT, isDigit, UNUSUAL, ZERO } from './bytes.ts';

const MOST_DIGITS = 15;
/**
 * Below 2^53 by more than a byte, because each digit's byte is added before `ZERO` is subtracted. Microseconds since
 * 1970 reach it in the year 2255.
 */
const LARGEST_WHOLE = 9e15;
const POWERS_OF_TEN = Float64Array.from({ length: MOST_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** @returns position after the number, whose value is in `into`; or {@link UNUSUAL} */
export function scanNumber(view: DataView, from: number, into: { value: number }): number {
  let at = from;
  let digits = 0;
  let byte = view.getUint8(at);
  while (isDigit(byte)) {
    digits = digits * 10 + byte - ZERO;
    at += 1;
    byte = view.getUint8(at);
  }
  const whole = at - from;
  // 007 is not valid JSON.
  if (whole === 0 || digits > LARGEST_WHOLE || (whole > 1 && view.getUint8(from) === ZERO)) {
    return UNUSUAL;
  }
  if (byte !== DOT) {
    into.value = digits;
    return isExponent(byte) ? UNUSUAL : at;
  }
  return scanFraction(view, at + 1, whole, digits, into);
}

function scanFraction(
  view: DataView,
  from: number,
  whole: number,
  wholeDigits: number,
  into: { value: number },
): number {
  let at = from;
  let digits = wholeDigits;
  let byte = view.getUint8(at);
  while (isDigit(byte)) {
    digits = digits * 10 + byte - ZERO;
    at += 1;
    byte = view.getUint8(at);
  }
  const decimals = at - from;
  if (decimals === 0 || whole + decimals > MOST_DIGITS || isExponent(byte)) {
    return UNUSUAL;
  }
  into.value = digits / (POWERS_OF_TEN[decimals] ?? 1);
  return at;
}

function isExponent(byte: number): boolean {
  return (byte | 0x20) === 0x65;
}
