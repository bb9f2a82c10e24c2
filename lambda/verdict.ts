/**
 * How a request ended: one value, which answers.ts turns into HTTP and telemetry.ts into a log line. Each member holds
 * what its code needs and no more. Epoch milliseconds; `reason` is for the log and never leaves.
 */
import type { ProblemCode } from '../contract/problems.ts';
import type { LimitState } from '../limiter/index.ts';
import type { Switch } from './kill-switch.ts';
import type { SessionKey } from './mint.ts';

export type Verdict =
  | { readonly code: 'issued'; readonly key: SessionKey; readonly limit: LimitState }
  | { readonly code: 'preflight' }
  | {
      readonly code: 'rate_limited' | 'budget_exhausted';
      readonly limit: LimitState;
      readonly retryAt: number;
      readonly cached: boolean;
    }
  | ({ readonly code: 'paused' } & Extract<Switch, { paused: true }>)
  | {
      readonly code: 'upstream_unavailable';
      readonly reason: string;
      readonly retryAt: number;
      readonly limit?: LimitState;
    }
  | { readonly code: 'limiter_unavailable'; readonly reason: string; readonly retryAt: number }
  | {
      readonly code: 'upstream_refused' | 'misconfigured' | 'internal';
      readonly reason: string;
      readonly limit?: LimitState;
    }
  | {
      readonly code:
        | 'origin_not_allowed'
        | 'viewer_unknown'
        | 'not_found'
        | 'method_not_allowed'
        | 'body_not_allowed'
        | 'idempotency_key_invalid';
    };

/** Codes of the contract that nothing issues yet. They have their sentences, and no verdict leads to them. */
export type UnissuedCode = Exclude<ProblemCode, Verdict['code']>;
