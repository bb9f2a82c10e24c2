/** A limit's decision about a call. All times are in epoch milliseconds unless a name says otherwise. */
import type { Policy } from './policy.ts';

/** A set of policies, and whether they count each subject separately or all subjects together. */
export interface Scope {
  /** The scope's name in the table's keys and in the RateLimit headers. Use lower-case letters. */
  readonly name: string;
  readonly policies: readonly Policy[];
  /**
   * `each`: one counter per subject. Its item stores the ids of its reservations, so a write whose response was lost can be
   * retried. `all`: one counter for all subjects. Its writes are not retried, except for a sliding window, whose item always
   * stores the ids.
   */
  readonly counts: 'each' | 'all';
}

/** The current state of one limit for one subject, as in the X-RateLimit and RateLimit headers. */
export interface LimitState {
  readonly scope: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** When the full limit is available again. */
  readonly resetAt: number;
}

/** A call that was reserved under one limit. It can be released. */
export interface Reservation {
  readonly state: LimitState;
  /**
   * Releases the reservation, so that the call does not count. Idempotent, also if the response to the write was lost.
   * @param now epoch milliseconds
   * @returns the state of the limit after the release, from the item that the write returns
   */
  readonly release: (now: number) => Promise<LimitState>;
}

export interface Refusal {
  readonly state: LimitState;
  /** The earliest time at which this limit can admit the subject. */
  readonly retryAt: number;
}

/** The decision of one limit. */
export type Decision = ({ readonly admitted: true } & Reservation) | ({ readonly admitted: false } & Refusal);
