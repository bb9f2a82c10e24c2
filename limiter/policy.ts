/**
 * The text in which owners write limits: `10/1h`, or several joined by commas, `3/1m,10/1h`. One parser serves the
 * function, synth and the command line. What cannot be read is an error and never "unlimited".
 */

/** At most `limit` admissions per window. */
export interface Policy {
  /** Fixed windows, aligned to the clock. */
  readonly algorithm: 'fixed';
  /** Whole number from 1 to 1,000,000. */
  readonly limit: number;
  /** The window's length, one second to 31 days. */
  readonly windowMs: number;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const POLICY = /^(?<limit>\d{1,7})\/(?<count>\d{1,7})(?<unit>[smhd])$/;
const MOST_ADMISSIONS = 1_000_000;
const LONGEST_WINDOW_MS = 31 * UNIT_MS.d;

/**
 * Reads a list of limits. The result is ordered by window, longest first, which is the order in which they are asked:
 * so the limit that refuses is the one whose reopening is an honest Retry-After.
 * @throws Error that says what is wrong, fit to follow "CLIENT_LIMITS is wrong: "
 */
export function parsePolicies(text: string): readonly Policy[] {
  const policies = text.split(',').map((part) => parsePolicy(part.trim()));
  policies.sort((a, b) => b.windowMs - a.windowMs);
  for (const [index, policy] of policies.entries()) {
    // Their counters would share one item: its window is part of the key, its limit is not.
    if (policy.windowMs === policies[index + 1]?.windowMs) {
      throw new Error(`two limits have the same window of ${policy.windowMs / 1_000} s; keep the smaller one`);
    }
  }
  return policies;
}

function parsePolicy(text: string): Policy {
  const { limit: limitText, count, unit } = POLICY.exec(text)?.groups ?? {};
  if (limitText === undefined || count === undefined || !isUnit(unit)) {
    throw new Error(`${JSON.stringify(text)} is not a limit such as 10/1h (admissions / window in s, m, h or d)`);
  }
  const limit = Number(limitText);
  if (limit < 1 || limit > MOST_ADMISSIONS) {
    throw new Error(`${JSON.stringify(text)} must admit from 1 to ${MOST_ADMISSIONS}; to admit nobody, pause`);
  }
  const windowMs = Number(count) * UNIT_MS[unit];
  if (windowMs < UNIT_MS.s || windowMs > LONGEST_WINDOW_MS) {
    throw new Error(`${JSON.stringify(text)} must have a window from 1s to 31d`);
  }
  return { algorithm: 'fixed', limit, windowMs };
}

function isUnit(unit: string | undefined): unit is keyof typeof UNIT_MS {
  return unit !== undefined && unit in UNIT_MS;
}
