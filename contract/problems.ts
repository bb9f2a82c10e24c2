/**
 * The API's problem codes. The function returns them, the browser client acts on them, and the documentation lists them. A code
 * that is missing in one of these places fails to compile or fails a test.
 */

export interface Problem {
  /** HTTP status. */
  readonly status: number;
  /** Whether a program may send the same request again by itself, after Retry-After if there is one. */
  readonly retryable: boolean;
}

export const PROBLEMS = {
  rate_limited: { status: 429, retryable: false },
  budget_exhausted: { status: 429, retryable: false },
  paused: { status: 403, retryable: false },
  blocked: { status: 403, retryable: false },
  origin_not_allowed: { status: 403, retryable: false },
  viewer_unknown: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  body_not_allowed: { status: 400, retryable: false },
  idempotency_key_invalid: { status: 400, retryable: false },
  replay_in_progress: { status: 409, retryable: true },
  upstream_refused: { status: 502, retryable: false },
  upstream_unavailable: { status: 503, retryable: true },
  limiter_unavailable: { status: 503, retryable: true },
  misconfigured: { status: 500, retryable: false },
  internal: { status: 500, retryable: false },
} as const satisfies Record<string, Problem>;

/** @useDeclaredType */
export type ProblemCode = keyof typeof PROBLEMS;
