/** A request whose viewer is known. */
import type { Trace } from '../trace.ts';
import type { ViewerId } from '../visitor/viewer.ts';

export interface IdentifiedRequest {
  readonly viewer: ViewerId;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly trace: Trace;
}
