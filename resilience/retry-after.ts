/**
 * How long a server asks to be left alone, from whichever header says so. Each form is read by its grammar; a value
 * outside it is as if the header were absent. `Number('')` is 0 and `Date.parse('-1')` lies in 2001: neither is asked.
 */

/** Headers as `fetch` has them, or as a plain object, as Node and the AWS SDK have them. */
export type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Zero, or a time that has passed, still means: not in the same instant. */
const SHORTEST_MS = 50;
/** What a timer can hold, 24.8 days. Nobody means more. */
const LONGEST_MS = 2 ** 31 - 1;
/** From here on a number in X-RateLimit-Reset is a date; below, it would lie before 2001 and is a wait in seconds. */
const EARLIEST_EPOCH_S = 1e9;

const DIGITS = /^\d+$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;
/** `1s`, `6m0s`, `8.64s`, `120ms`, `1h0m30s`: as Go prints a duration, which is what OpenAI sends. */
const DURATION = /^(?!$)(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;
const DURATION_UNITS_MS = [3_600_000, 60_000, 1_000, 1];
const RESET = /^x-ratelimit-reset(?=-|$)/;

/** The obsolete forms of HTTP-date: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. */
const RFC_850 = /^(\w{3})(?:|s|nes|rs|ur)day, (\d\d)-(\w{3})-(\d\d) (\S{8} GMT)$/;
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (\S{8}) (\d{4})$/;

/**
 * Looks at `retry-after-ms`, `Retry-After`, then the `X-RateLimit-Reset` family, and takes the first that can be read.
 *
 * A reset counts only while its `X-RateLimit-Remaining` is absent or 0: APIs send both with every answer, and a full
 * quota's reset has nothing to do with a 503. Of several resets the longest counts.
 *
 * @param now milliseconds since the Unix epoch
 * @returns whole milliseconds from now, 50 to 2^31 - 1; undefined where nothing is asked
 */
export function parseRetryAfter(headers: HeadersLike, now: number): number | undefined {
  const all = lowerCased(headers);
  const ms = decimal(all.get('retry-after-ms')) ?? secondsOrDate(all.get('retry-after'), now) ?? longestReset(all, now);
  // 8.64 s are 8640.000000000002 ms: the noise must go before what is left is rounded up.
  return ms === undefined ? undefined : Math.min(Math.max(Math.ceil(Number(ms.toFixed(3))), SHORTEST_MS), LONGEST_MS);
}

/** Every header that is one text, by its lower-case name. Whatever else an error calls its headers has none. */
export function lowerCased(headers: HeadersLike): Map<string, string> {
  const entries = isHeaders(headers) ? [...headers] : Object.entries(headers);
  return new Map(
    entries.flatMap(([name, value]) =>
      typeof name === 'string' && typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
}

/** By its shape: the Headers of the undici package are not `instanceof Headers`. */
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
 * The three forms of HTTP-date (RFC 9110, 5.6.7). The obsolete ones are rewritten into the first, which is how
 * JavaScript prints a date: what does not print as it was read, such as 31 Feb or a wrong weekday, is none.
 */
function parseHttpDate(text: string, now: number): number | undefined {
  const latestYear = new Date(now).getUTCFullYear() + 50;
  const fixed = text
    // Two digits mean the latest such year that is at most 50 years ahead.
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
  // Not without the first half: "Invalid Date" prints as it was read.
  return Number.isFinite(ms) && new Date(ms).toUTCString() === fixed ? ms : undefined;
}
