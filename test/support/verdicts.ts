/**
 * Every way in which a request can end, at one fixed time. Tests check the response and the log line for all of them. A code that is
 * missing here is a compile error.
 */
import type { Verdict } from '../../lambda/answers/verdict.ts';
import type { LimitState } from '../../limiter/index.ts';

/** Epoch milliseconds. */
export const NOW = Date.UTC(2026, 10, 30, 12, 31);

export const CLIENT_LIMIT: LimitState = {
  scope: 'client',
  limit: 10,
  windowMs: 3_600_000,
  remaining: 3,
  resetAt: NOW + 1_740_000,
};

export const GLOBAL_LIMIT: LimitState = {
  scope: 'global',
  limit: 500,
  windowMs: 86_400_000,
  remaining: 0,
  resetAt: NOW + 41_340_000,
};

/** Contained in every value that may appear in the log only. */
export const FOR_THE_LOG = 'for-the-log';
export const KEY = 'ek_68af296e8e408191a1120ab6383263c2';

export const ISSUED = {
  code: 'issued',
  key: { value: KEY, expires_at: NOW / 1_000 + 60, session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' } },
  limit: CLIENT_LIMIT,
  replayed: false,
  failedOpen: false,
} as const satisfies Verdict;

const reason = `${FOR_THE_LOG}: two\nlines`;
const exhausted = { ...CLIENT_LIMIT, remaining: 0 };
const paused = { code: 'paused', paused: true } as const;

export const VERDICTS: Readonly<Record<Verdict['code'], readonly Verdict[]>> = {
  issued: [ISSUED],
  preflight: [{ code: 'preflight' }],
  rate_limited: [false, true].map((cached) => ({
    code: 'rate_limited',
    limit: exhausted,
    retryAt: exhausted.resetAt,
    cached,
  })),
  budget_exhausted: [false, true].map((cached) => ({
    code: 'budget_exhausted',
    limit: GLOBAL_LIMIT,
    retryAt: GLOBAL_LIMIT.resetAt,
    cached,
  })),
  paused: [
    { ...paused, since: undefined, by: undefined, message: { ja: undefined, en: undefined } },
    { ...paused, since: NOW / 1_000, by: FOR_THE_LOG, message: { ja: '休止中です。', en: 'Closed today.' } },
  ],
  blocked: [{ code: 'blocked', until: NOW + 86_400_000, message: { ja: undefined, en: undefined } }],
  upstream_unavailable: [
    { code: 'upstream_unavailable', reason, retryAt: NOW + 5_000 },
    { code: 'upstream_unavailable', reason, retryAt: NOW + 7_001, limit: CLIENT_LIMIT },
  ],
  replay_in_progress: [{ code: 'replay_in_progress', retryAt: NOW + 1_000 }],
  limiter_unavailable: [{ code: 'limiter_unavailable', reason, retryAt: NOW + 5_000 }],
  upstream_refused: [
    { code: 'upstream_refused', reason },
    { code: 'upstream_refused', reason, limit: CLIENT_LIMIT },
  ],
  misconfigured: [
    { code: 'misconfigured', reason },
    { code: 'misconfigured', reason, limit: CLIENT_LIMIT },
  ],
  internal: [
    { code: 'internal', reason },
    { code: 'internal', reason, limit: CLIENT_LIMIT },
  ],
  origin_not_allowed: [{ code: 'origin_not_allowed' }],
  viewer_unknown: [{ code: 'viewer_unknown' }],
  not_found: [{ code: 'not_found' }],
  method_not_allowed: [{ code: 'method_not_allowed' }],
  body_not_allowed: [{ code: 'body_not_allowed' }],
  idempotency_key_invalid: [{ code: 'idempotency_key_invalid' }],
};

export const ALL_VERDICTS: readonly Verdict[] = Object.values(VERDICTS).flat();
