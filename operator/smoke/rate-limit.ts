/**
 * A response states the limit in three kinds of headers: X-RateLimit-*, RateLimit-Policy and RateLimit (see limiter/headers.ts
 * for the formats). They must be present, well-formed and consistent.
 */
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { type Answer, holdsKey, problemCode, shown } from './site.ts';

/** The state of a counter. */
export interface Count {
  /** Who is counted: `client` or `global`. Undefined if RateLimit-Policy is missing or malformed. */
  readonly scope: string | undefined;
  readonly remaining: number;
}

const NUMBER = /^\d{1,12}$/;
const POLICY = /^"(?<scope>[a-z]+)";q=(?<limit>\d{1,12});w=(?<window>\d{1,12})$/;
const STATE = /^"(?<scope>[a-z]+)";r=(?<remaining>\d{1,12});t=(?<reset>\d{1,12})$/;
/** The clocks of function and edge may differ, and both are rounded to seconds. */
const TOLERANCE_SECONDS = 5;

export function countOf({ headers }: Answer): Count | undefined {
  const remaining = headers.get('x-ratelimit-remaining') ?? '';
  const { scope } = POLICY.exec(headers.get('ratelimit-policy') ?? '')?.groups ?? {};
  return NUMBER.test(remaining) ? { scope, remaining: Number(remaining) } : undefined;
}

export function isLimited(answer: Answer): boolean {
  const code = problemCode(answer);
  return code === 'rate_limited' || code === 'budget_exhausted';
}

export function judgeRateLimitHeaders(answers: readonly Answer[]): Finding {
  const counted = answers.filter((answer) => holdsKey(answer) || isLimited(answer));
  const [last] = counted.slice(-1);
  if (last === undefined) {
    return note('Not checked: no response came from the limiter.');
  }
  const [complaint] = counted.flatMap(complaintsAbout);
  if (complaint !== undefined) {
    return fail(`The rate limit headers are invalid: ${complaint}.`, {
      meaning:
        'The page, and every other client that reads them, shows an incorrect number of calls or retries at an incorrect time.',
      mend: 'The function sends valid headers (limiter/headers.ts). Look for what changes or removes them on the way: a response headers policy, a CloudFront Function or a proxy. Then deploy this version:',
      commands: ['npm run deploy'],
    });
  }
  const { headers } = last;
  return pass(
    `X-RateLimit-*, RateLimit-Policy and RateLimit agree: ${headers.get('ratelimit-policy')}, ${headers.get('ratelimit')}.`,
  );
}

function complaintsAbout(answer: Answer): string[] {
  const { headers, serverTime } = answer;
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map(
    (name) => headers.get(`x-ratelimit-${name}`) ?? '',
  );
  const policyText = headers.get('ratelimit-policy') ?? '';
  const stateText = headers.get('ratelimit') ?? '';
  const policy = POLICY.exec(policyText)?.groups;
  const state = STATE.exec(stateText)?.groups;
  const malformed = [
    ...Object.entries({ limit, remaining, reset }).map(([name, text = '']) =>
      NUMBER.test(text) ? undefined : `x-ratelimit-${name} is ${shown(text)}`,
    ),
    policy === undefined ? `ratelimit-policy is ${shown(policyText)}` : undefined,
    state === undefined ? `ratelimit is ${shown(stateText)}` : undefined,
  ].filter((complaint) => complaint !== undefined);
  if (policy === undefined || state === undefined || malformed.length > 0) {
    return malformed;
  }

  const resetBySeconds = serverTime / 1_000 + Number(state['reset']);
  return [
    policy['scope'] === state['scope'] ? undefined : 'RateLimit-Policy and RateLimit name different limits',
    policy['limit'] === limit
      ? undefined
      : `X-RateLimit-Limit is ${limit}, but RateLimit-Policy has q=${policy['limit']}`,
    state['remaining'] === remaining
      ? undefined
      : `X-RateLimit-Remaining is ${remaining}, but RateLimit has r=${state['remaining']}`,
    Number(remaining) <= Number(limit) ? undefined : `${remaining} remain, but the limit is ${limit}`,
    Math.abs(Number(reset) - resetBySeconds) <= TOLERANCE_SECONDS
      ? undefined
      : `X-RateLimit-Reset (${reset}) and RateLimit (t=${state['reset']}, seconds from now) are different times`,
    isLimited(answer) && !NUMBER.test(headers.get('retry-after') ?? '') ? 'a refusal has no Retry-After' : undefined,
  ].filter((complaint) => complaint !== undefined);
}
