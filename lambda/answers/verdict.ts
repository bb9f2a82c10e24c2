/**
 * The outcome of a request. answers.ts turns it into an HTTP response, and telemetry.ts into a log line. Times are in epoch
 * milliseconds. `reason` is for the log only and is never sent to visitors.
 */
import type { LimitState } from '../../limiter/index.ts';
import type { Block } from '../gate/block.ts';
import type { Switch } from '../gate/kill-switch.ts';
import type { SessionKey } from '../openai/mint.ts';

export type Verdict =
  | {
      readonly code: 'issued';
      readonly key: SessionKey;
      /** Undefined if DynamoDB was unavailable. */
      readonly limit: LimitState | undefined;
      /** Whether the key was issued to an earlier request with the same Idempotency-Key. Then nothing was reserved or minted. */
      readonly replayed: boolean;
      /** Whether the request was admitted without DynamoDB, as `LIMITER_FAILURE_MODE=open` allows. */
      readonly failedOpen: boolean;
    }
  | { readonly code: 'preflight' }
  | {
      readonly code: 'rate_limited' | 'budget_exhausted';
      readonly limit: LimitState;
      readonly retryAt: number;
      readonly cached: boolean;
    }
  | ({ readonly code: 'paused' } & Extract<Switch, { paused: true }>)
  | ({ readonly code: 'blocked' } & Block)
  | {
      readonly code: 'upstream_unavailable';
      readonly reason: string;
      readonly retryAt: number;
      readonly limit?: LimitState | undefined;
    }
  | { readonly code: 'limiter_unavailable'; readonly reason: string; readonly retryAt: number }
  | { readonly code: 'replay_in_progress'; readonly retryAt: number }
  | {
      readonly code: 'upstream_refused' | 'misconfigured' | 'internal';
      readonly reason: string;
      readonly limit?: LimitState | undefined;
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
