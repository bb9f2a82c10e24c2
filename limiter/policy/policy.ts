/**
 * Parses limits from text: `10/1h`, `sliding 10/1h`, `bucket 10/1h burst 3`, or several separated by commas, `3/1m,10/1h`. The
 * function, `cdk synth` and the command line use the same parser. Invalid text is an error and never means "unlimited".
 */

interface Rate {
  /** A whole number from 1 to 1,000,000. */
  readonly limit: number;
  /** The length of the window, from one second to 31 days. */
  readonly windowMs: number;
}

/** Fixed window: at most `limit` admissions in each window. Windows are aligned to the clock. */
export interface FixedPolicy extends Rate {
  readonly algorithm: 'fixed';
}

/** Sliding window: at most `limit` admissions in any period of the window's length. `limit` is at most 100. */
export interface SlidingPolicy extends Rate {
  readonly algorithm: 'sliding';
}

/** Token bucket: `burst` admissions at once, then `limit` per window, evenly spaced. */
export interface BucketPolicy extends Rate {
  readonly algorithm: 'bucket';
  /** A whole number from 1 to `limit`. */
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
 * Parses a list of limits. The result is in the order in which they are checked. Windows come first, the longest first, so that
 * Retry-After is correct for the limit that refuses. Buckets come last: a released token loses the time for which it was
 * reserved, so calls that a window refuses must not take tokens.
 * @throws Error whose message says what is invalid and what was expected. It can follow "CLIENT_LIMITS is invalid: "
 */
export function parsePolicies(text: string): readonly Policy[] {
  const policies = text.split(',').map((part) => parsePolicy(part.trim()));
  const seen = new Set<number>();
  for (const { windowMs } of policies) {
    // The larger one would have no effect, because the smaller one always refuses first.
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
      `${JSON.stringify(text)} is not a limit; expected the form 10/1h, sliding 10/1h or ` +
        'bucket 10/1h burst 3 (count / window in s, m, h or d)',
    );
  }
  const rate = { limit: Number(limit), windowMs: Number(count) * UNIT_MS[unit] };
  if (rate.limit < 1 || rate.limit > MOST_ADMISSIONS) {
    throw new Error(
      `${JSON.stringify(text)} must admit from 1 to ${MOST_ADMISSIONS} calls; to admit none, pause the service instead`,
    );
  }
  if (rate.windowMs < UNIT_MS.s || rate.windowMs > LONGEST_WINDOW_MS) {
    throw new Error(`${JSON.stringify(text)} must have a window from 1s to 31d`);
  }
  switch (algorithm) {
    case 'sliding':
      if (rate.limit > MOST_SLIDING) {
        throw new Error(
          `${JSON.stringify(text)} must admit at most ${MOST_SLIDING} calls, because its item has a slot for each call and ` +
            'every write is charged for the whole item; for more calls, use a fixed window or a bucket',
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
