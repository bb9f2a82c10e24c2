/**
 * One request on its way: who asks, since when, and what telemetry learns.
 */
import type { ViewerId } from './visitor/viewer.ts';

/** What telemetry learns on the way. */
export interface Trace {
  viewer?: ViewerId;
  mintMs?: number;
  /** Places that could not be given back stay counted: said in the log. */
  releaseFailed?: string;
  /** An answer that could not be remembered, or a lock that could not be taken off: said in the log. */
  replayFailed?: string;
}

export interface Call {
  readonly viewer: ViewerId;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly trace: Trace;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
