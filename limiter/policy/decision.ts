/**
 * What a limit says to a caller. All times are epoch milliseconds unless a name says otherwise.
 */
import type { Policy } from './policy.ts';

/** Whom a set of policies counts: each subject by itself, or everybody together. */
export interface Scope {
  /** Names the scope in the table's keys and in the RateLimit headers: lower-case letters. */
  readonly name: string;
  readonly policies: readonly Policy[];
  /**
   * `each`: one counter per subject, whose item remembers its reservations, so that a write whose answer was lost can be
   * repeated. `all`: one counter for everybody, whose writes are not repeated unless its item knows its reservations anyway, as
   * a sliding window's does.
   */
  readonly counts: 'each' | 'all';
}

/** One limit as it stands for one subject: what the X-RateLimit and RateLimit headers say. */
export interface LimitState {
  readonly scope: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** When the limit is whole again. */
  readonly resetAt: number;
}

/** A place that was taken under one limit, and can be given back. */
export interface Reservation {
  readonly state: LimitState;
  /**
   * Gives the place back, at `now` in epoch milliseconds. Repeating it, here or over a lost answer, changes nothing.
   * @returns how the limit stands then, by the item that the write brings along
   */
  readonly release: (now: number) => Promise<LimitState>;
}

export interface Refusal {
  readonly state: LimitState;
  /** The earliest moment at which this limit can admit the subject. */
  readonly retryAt: number;
}

/** One limit's answer. */
export type Decision = ({ readonly admitted: true } & Reservation) | ({ readonly admitted: false } & Refusal);
