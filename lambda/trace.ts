/** What the log line reports about a request besides its verdict. */
import type { ViewerId } from './visitor/viewer.ts';

export interface Trace {
  viewer?: ViewerId;
  mintMs?: number;
  /** Why reservations could not be released. They stay counted. */
  releaseFailed?: string;
  /** Why the answer for repeated requests could not be stored, or their lock could not be released. */
  replayFailed?: string;
}
