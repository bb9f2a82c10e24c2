/**
 * The text in which owners write limits: `10/1h`, `sliding 10/1h`, `bucket 10/1h burst 3`, or several joined by commas,
 * `3/1m,10/1h`. One parser serves the function, synth and the command line. What cannot be read is an error and never
 * "unlimited".
 */

interface Rate {
  /** Whole number from 1 to 1,000,000. */
  readonly limit: number;
  /** The window's length, one second to 31 days. */
  readonly windowMs: number;
}

/** At most `limit` admissions from one mark of the clock to the next. */
export interface FixedPolicy extends Rate {
  readonly algorithm: 'fixed';
}

/** At most `limit` admissions, 100 at the most, in any window whatever. */
export interface SlidingPolicy extends Rate {
  readonly algorithm: 'sliding';
}

/** `burst` admissions at once, and from then on `limit` per window, evenly spread. */
export interface BucketPolicy extends Rate {
  readonly algorithm: 'bucket';
  /** Whole number from 1 to `limit`. */
  readonly burst: number;
}

export type Policy = FixedPolicy | SlidingPolicy | BucketPolicy;

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const POLICY =
  /^(?:(?<algorithm>sliding|bucket) )?(?<limit>\d{1,7})\/(?<count>\d{1,7})(?<unit>[smhd])(?: burst (?<burst>\d{1,7}))?$/;
const MOST_ADMISSIONS = 1_000_000;
const MOST_SLIDING = 100;
const LONGEST_WINDOW_MS = 31 * UNIT_MS.d;

/**
 * Reads a list of limits. The result is in the order in which they are asked: windows first, the longest of them first, so
 * that the limit which refuses is the one whose reopening is an honest Retry-After; and buckets last, because what is given
 * back to a bucket is less by the time it was held: calls that a window refuses must not drain it.
 * @throws Error that says what is wrong, fit to follow "CLIENT_LIMITS is wrong: "
 */
export function parsePolicies(text: string): readonly Policy[] {
  const policies = text.split(',').map((part) => parsePolicy(part.trim()));
  const seen = new Set<number>();
  for (const { windowMs } of policies) {
    // One of them would never be heard: the smaller one always refuses first.
    if (seen.has(windowMs)) {
      throw new Error(`two limits have the same window of ${windowMs / 1_000} s; keep the smaller one`);
    }
    seen.add(windowMs);
  }
  const isBucket = (policy: Policy) => Number(policy.algorithm === 'bucket');
  return policies.sort((a, b) => isBucket(a) - isBucket(b) || b.windowMs - a.windowMs);
}

function parsePolicy(text: string): Policy {
  const { algorithm = 'fixed', limit, count, unit, burst } = POLICY.exec(text)?.groups ?? {};
  if (
    limit === undefined ||
    count === undefined ||
    !isUnit(unit) ||
    (burst === undefined) === (algorithm === 'bucket')
  ) {
    throw new Error(
      `${JSON.stringify(text)} is not a limit such as 10/1h, sliding 10/1h or bucket 10/1h burst 3 ` +
        '(admissions / window in s, m, h or d)',
    );
  }
  const rate = { limit: Number(limit), windowMs: Number(count) * UNIT_MS[unit] };
  if (rate.limit < 1 || rate.limit > MOST_ADMISSIONS) {
    throw new Error(`${JSON.stringify(text)} must admit from 1 to ${MOST_ADMISSIONS}; to admit nobody, pause`);
  }
  if (rate.windowMs < UNIT_MS.s || rate.windowMs > LONGEST_WINDOW_MS) {
    throw new Error(`${JSON.stringify(text)} must have a window from 1s to 31d`);
  }
  switch (algorithm) {
    case 'sliding':
      if (rate.limit > MOST_SLIDING) {
        throw new Error(
          `${JSON.stringify(text)} must admit at most ${MOST_SLIDING}: its item holds a slot for each admission, and every ` +
            'write pays for the whole item; above that, take a fixed window or a bucket',
        );
      }
      return { algorithm, ...rate };
    case 'bucket':
      if (Number(burst) < 1 || Number(burst) > rate.limit) {
        throw new Error(`${JSON.stringify(text)} must have a burst from 1 to its limit of ${rate.limit}`);
      }
      return { algorithm, ...rate, burst: Number(burst) };
    default:
      return { algorithm: 'fixed', ...rate };
  }
}

function isUnit(unit: string | undefined): unit is keyof typeof UNIT_MS {
  return unit !== undefined && unit in UNIT_MS;
}
