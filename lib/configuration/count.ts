/** Context can contain any value: `"5"`, 0, 2.5 and NaN are not valid numbers of units or requests. */
export function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max;
}
