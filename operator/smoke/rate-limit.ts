/**
 * The limit as an answer's headers tell it, three times over: X-RateLimit-*, RateLimit-Policy and RateLimit (see
 * limiter/headers.ts for the formats). They must be there, be readable, and say the same.
 */
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { type Answer, holdsKey, problemCode, shown } from './site.ts';

/** Where a counter stands. */
export interface Count {
  /** Whom it counts: `client`, `global`. Undefined where RateLimit-Policy cannot be read. */
  readonly scope: string | undefined;
  readonly remaining: number;
}

const NUMBER = /^\d{1,12}$/;
const POLICY = /^"(?<scope>[a-z]+)";q=(?<limit>\d{1,12});w=(?<window>\d{1,12})$/;
const STATE = /^"(?<scope>[a-z]+)";r=(?<remaining>\d{1,12});t=(?<reset>\d{1,12})$/;
/** Between the function's clock and the edge's, and the rounding of both to seconds. */
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
    return note('Not checked: no answer came from the limiter.');
  }
  const [complaint] = counted.flatMap(complaintsAbout);
  if (complaint !== undefined) {
    return fail(`The rate limit headers are wrong: ${complaint}.`, {
      meaning:
        'The page, and every client that reads them, shows a wrong number of calls or comes back at a wrong time.',
      mend: 'The function sends them right (limiter/headers.ts), so look for what rewrites or withholds headers in between: a response headers policy, a CloudFront Function, a proxy. Then deploy this version:',
      commands: ['npm run deploy'],
    });
  }
  const { headers } = last;
  return pass(
    `X-RateLimit-*, RateLimit-Policy and RateLimit say the same: ${headers.get('ratelimit-policy')}, ${headers.get('ratelimit')}.`,
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
  const unreadable = [
    ...Object.entries({ limit, remaining, reset }).map(([name, text = '']) =>
      NUMBER.test(text) ? undefined : `x-ratelimit-${name} is ${shown(text)}`,
    ),
    policy === undefined ? `ratelimit-policy is ${shown(policyText)}` : undefined,
    state === undefined ? `ratelimit is ${shown(stateText)}` : undefined,
  ].filter((complaint) => complaint !== undefined);
  if (policy === undefined || state === undefined || unreadable.length > 0) {
    return unreadable;
  }

  const resetBySeconds = serverTime / 1_000 + Number(state['reset']);
  return [
    policy['scope'] === state['scope'] ? undefined : 'RateLimit-Policy and RateLimit name different limits',
    policy['limit'] === limit ? undefined : `the limit is ${limit} in one and ${policy['limit']} in the other`,
    state['remaining'] === remaining ? undefined : `${remaining} remain in one and ${state['remaining']} in the other`,
    Number(remaining) <= Number(limit) ? undefined : `${remaining} remain of ${limit}`,
    Math.abs(Number(reset) - resetBySeconds) <= TOLERANCE_SECONDS
      ? undefined
      : `X-RateLimit-Reset (${reset}) is not the time that RateLimit's t (${state['reset']} s from now) leads to`,
    isLimited(answer) && !NUMBER.test(headers.get('retry-after') ?? '') ? 'a refusal has no Retry-After' : undefined,
  ].filter((complaint) => complaint !== undefined);
}
