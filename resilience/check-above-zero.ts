/**
 * Refuses numbers that would switch a guard off in silence: no rate at all admits everybody, and no number is ever below
 * a threshold of NaN.
 */

/** @throws RangeError naming the option */
export function checkAboveZero(option: string, value: number): void {
  if (!(value > 0)) {
    throw new RangeError(`${option} is ${value}, not above 0`);
  }
}
