/** Ways to break a site, one thing at a time. */
import { createHash } from 'node:crypto';
import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';
import { isMint, type Passed, type Passing, type Saboteur } from './sabotaged-site.ts';

export const honest: Saboteur = (request, passOn) => passOn(request);

/** Changes the responses to requests for a key. */
export function onKeys(change: (answer: Passed, nth: number) => Passed): Saboteur {
  let nth = 0;
  return async (request, passOn) => {
    const answer = await passOn(request);
    if (!isMint(request) || answer.status !== 200) {
      return answer;
    }
    nth += 1;
    return change(answer, nth);
  };
}

export function withHeaders(answer: Passed, headers: Readonly<Record<string, string | undefined>>): Passed {
  const changed = Object.entries({ ...answer.headers, ...headers });
  const kept = changed.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...answer, headers: Object.fromEntries(kept) };
}

export const withBody = (answer: Passed, change: object): Passed => ({
  ...answer,
  body: JSON.stringify({ ...JSON.parse(answer.body), ...change }),
});

export const withRemaining = (answer: Passed, remaining: number): Passed =>
  withHeaders(answer, {
    'x-ratelimit-remaining': String(remaining),
    ratelimit: String(answer.headers['ratelimit']).replace(/r=\d+/, `r=${remaining}`),
  });

export const always =
  (change: (answer: Passed, request: Passing) => Passed): Saboteur =>
  async (request, passOn) =>
    change(await passOn(request), request);

/** Counts the address in the header. */
export const trusting =
  (header: string): Saboteur =>
  (request, passOn) => {
    const [last = 0] = createHash('sha256')
      .update(request.headers[header] ?? '')
      .digest();
    return passOn(request, request.headers[header] === undefined ? 1 : 2 + (last % 250));
  };

/** Answers every request for a key with the first response. */
export function repeatingResponse(): Saboteur {
  let first: Passed | undefined;
  return async (request, passOn) => {
    if (!isMint(request)) {
      return await passOn(request);
    }
    first ??= await passOn(request);
    return first;
  };
}

/** What an error page rule returns in place of a 404. */
export const HOME_PAGE: Passed = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<html>Welcome!</html>',
};

/** A refusal by the function, without the headers of the limiter. */
export const problem = (code: ProblemCode): Passed => ({
  status: PROBLEMS[code].status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  body: JSON.stringify({ code }),
});
