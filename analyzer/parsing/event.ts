/**
 * One line of a connection log, whatever its format was, and how many of them travel from a parser to the statistics.
 */

export const EVENT_TYPES = ['connect', 'disconnect', 'retry'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A column for each field, since millions of objects would be the collector's work. Valid up to `length`. */
export interface EventBatch {
  readonly length: number;
  /** Epoch milliseconds; NaN where the log has none that can be read. */
  readonly timestamps: Float64Array;
  /** Index into `names`. */
  readonly clients: Uint32Array;
  /**
   * Of clients in order of first appearance: addresses, or pseudonyms. A source may hand over the same array again and again
   * as it grows; names that were looked up once are not looked up again.
   */
  readonly names: readonly string[];
  /** Index into {@link EVENT_TYPES}. */
  readonly types: Uint8Array;
  /** `retry_interval_ms` of the log; NaN where it has none. Never derived. */
  readonly intervals: Float64Array;
}

/** Places in {@link EVENT_TYPES}. */
export const [CONNECT, DISCONNECT, RETRY] = [0, 1, 2] as const;
