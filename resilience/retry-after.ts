/**
 * Parses how long a server asks the client to wait, from several headers. Each format has a strict grammar, and a malformed value is
 * ignored. `Number('')` is 0 and `Date.parse('-1')` is in 2001, so neither is used without a check.
 */

/** Headers of `fetch`, or a plain object as used by Node and the AWS SDK. */
export type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The result for 0 or a time in the past, so that the client does not retry immediately. */
const SHORTEST_MS = 50;
/** The longest delay of a timer, 24.8 days. */
const LONGEST_MS = 2 ** 31 - 1;
/** A number in X-RateLimit-Reset from here on is a time. A smaller one would be before 2001, so it is a wait in seconds. */
const EARLIEST_EPOCH_S = 1e9;

const DIGITS = /^\d+$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;
/** `1s`, `6m0s`, `8.64s`, `120ms`, `1h0m30s`: durations as Go prints them, which OpenAI sends. */
const DURATION = /^(?!$)(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;
const DURATION_UNITS_MS = [3_600_000, 60_000, 1_000, 1];
const RESET = /^x-ratelimit-reset(?=-|$)/;

/** The obsolete forms of HTTP-date: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. */
const RFC_850 = /^(\w{3})(?:|s|nes|rs|ur)day, (\d\d)-(\w{3})-(\d\d) (\S{8} GMT)$/;
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (\S{8}) (\d{4})$/;

/**
 * Reads `retry-after-ms`, then `Retry-After`, then the `X-RateLimit-Reset` headers, and uses the first valid value.
 *
 * A reset is used only if its `X-RateLimit-Remaining` is absent or 0. APIs send both with every response, and the reset of a quota
 * that is not used up does not explain a 503. If there are several resets, the longest is used.
 *
 * @param now milliseconds since the Unix epoch
 * @returns whole milliseconds from now, 50 to 2^31 - 1; undefined if there is no valid value
 */
export function parseRetryAfter(headers: HeadersLike, now: number): number | undefined {
  const all = lowerCased(headers);
  const ms = decimal(all.get('retry-after-ms')) ?? secondsOrDate(all.get('retry-after'), now) ?? longestReset(all, now);
  // 8.64 s are 8640.000000000002 ms, so the floating-point error is removed before rounding up.
  return ms === undefined ? undefined : Math.min(Math.max(Math.ceil(Number(ms.toFixed(3))), SHORTEST_MS), LONGEST_MS);
}

/** All headers with a single text value, by lower-case name. Empty if the value is not usable as headers. */
export function lowerCased(headers: HeadersLike): Map<string, string> {
  const entries = isHeaders(headers) ? [...headers] : Object.entries(headers);
  return new Map(
    entries.flatMap(([name, value]) =>
      typeof name === 'string' && typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
}

/** Checks properties, because the Headers of the undici package are not `instanceof Headers`. */
function isHeaders(headers: HeadersLike): headers is Headers {
  const { get, [Symbol.iterator]: iterator } = headers as Partial<Headers>;
  return typeof get === 'function' && typeof iterator === 'function';
}

function decimal(text = ''): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

function secondsOrDate(text = '', now: number): number | undefined {
  if (DIGITS.test(text)) {
    return Number(text) * 1000;
  }
  const date = parseHttpDate(text, now);
  return date === undefined ? undefined : date - now;
}

function longestReset(all: ReadonlyMap<string, string>, now: number): number | undefined {
  const waits = [...all].flatMap(([name, text]) => {
    const remaining = all.get(name.replace('reset', 'remaining'));
    const ms = RESET.test(name) && !(Number(remaining) > 0) ? (duration(text) ?? epoch(text, now)) : undefined;
    return ms ?? [];
  });
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

function duration(text: string): number | undefined {
  return DURATION.exec(text)
    ?.slice(1)
    .reduce((sum, part, index) => sum + Number(part ?? 0) * (DURATION_UNITS_MS[index] ?? 0), 0);
}

function epoch(text: string, now: number): number | undefined {
  if (!DIGITS.test(text)) {
    return undefined;
  }
  return Number(text) * 1000 - (Number(text) < EARLIEST_EPOCH_S ? 0 : now);
}

/**
 * Parses the three forms of HTTP-date (RFC 9110, 5.6.7). The obsolete forms are rewritten into the current one, which is how
 * JavaScript prints a date. A date that is printed differently, such as 31 Feb or a date with an incorrect weekday, is invalid.
 */
function parseHttpDate(text: string, now: number): number | undefined {
  const latestYear = new Date(now).getUTCFullYear() + 50;
  const fixed = text
    // A two-digit year is the latest matching year that is at most 50 years ahead.
    .replace(
      RFC_850,
      (_, weekday, day, month, year, time) =>
        `${weekday}, ${day} ${month} ${latestYear - ((latestYear - year) % 100)} ${time}`,
    )
    .replace(
      ASCTIME,
      (_, weekday, month, day, time, year) => `${weekday}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`,
    );
  const ms = Date.parse(fixed);
  // The first condition is needed because the text "Invalid Date" is printed unchanged.
  return Number.isFinite(ms) && new Date(ms).toUTCString() === fixed ? ms : undefined;
}
