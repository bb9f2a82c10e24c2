/** Anything can arrive as context: `"5"`, 0, 2.5 and NaN are no counts of units or requests. */
export function isCount(value: unknown, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most;
}
