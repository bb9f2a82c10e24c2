/** What telemetry learns of a request on its way to an answer. */
import type { ViewerId } from './visitor/viewer.ts';

export interface Trace {
  viewer?: ViewerId;
  mintMs?: number;
  /** Places that could not be given back stay counted: said in the log. */
  releaseFailed?: string;
  /** An answer that could not be remembered, or a lock that could not be taken off: said in the log. */
  replayFailed?: string;
}
