/**
 * How a request ended: one value, which answers.ts turns into HTTP and telemetry.ts into a log line. Each member holds
 * what its code needs and no more. Epoch milliseconds; `reason` is for the log and never leaves.
 */
import type { LimitState } from '../../limiter/index.ts';
import type { Block } from '../gate/block.ts';
import type { Switch } from '../gate/kill-switch.ts';
import type { SessionKey } from '../openai/mint.ts';

export type Verdict =
  | {
      readonly code: 'issued';
      readonly key: SessionKey;
      /** Undefined where DynamoDB was not there to ask. */
      readonly limit: LimitState | undefined;
      /** A repeat's answer: nothing was reserved or minted for it. */
      readonly replayed: boolean;
      /** Admitted without DynamoDB, as `LIMITER_FAILURE_MODE=open` allows. */
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
