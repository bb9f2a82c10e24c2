import { expect, it } from 'vitest';
import { PROBLEMS } from '../../contract/problems.ts';

it('these are the codes of the interface, with their statuses and whether a request may be retried', () => {
  const table = Object.entries(PROBLEMS).map(([code, { status, retryable }]) => [code, status, retryable]);
  expect(table).toEqual([
    ['rate_limited', 429, false],
    ['budget_exhausted', 429, false],
    ['paused', 403, false],
    ['blocked', 403, false],
    ['origin_not_allowed', 403, false],
    ['viewer_unknown', 403, false],
    ['not_found', 404, false],
    ['method_not_allowed', 405, false],
    ['body_not_allowed', 400, false],
    ['idempotency_key_invalid', 400, false],
    ['replay_in_progress', 409, true],
    ['upstream_refused', 502, false],
    ['upstream_unavailable', 503, true],
    ['limiter_unavailable', 503, true],
    ['misconfigured', 500, false],
    ['internal', 500, false],
  ]);
});

it('no 403 and no 429 is retryable, because something has to change first', () => {
  const refusals = Object.values(PROBLEMS).filter(({ status }) => status === 403 || status === 429);
  expect(refusals.map(({ retryable }) => retryable)).not.toContain(true);
});
