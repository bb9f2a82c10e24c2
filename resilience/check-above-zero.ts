/**
 * Rejects numbers that would silently disable a protection: a rate of 0 would admit every call, and no number is below a threshold
 * of NaN.
 */

/** @throws RangeError naming the option */
export function checkAboveZero(option: string, value: number): void {
  if (!(value > 0)) {
    throw new RangeError(`${option} must be above 0, not ${value}`);
  }
}
