/**
 * An event: one line of a connection log in any format. A batch carries many of them from a parser to the statistics.
 */

export const EVENT_TYPES = ['connect', 'disconnect', 'retry'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** One column per field, because millions of objects would burden the garbage collector. Columns are filled up to `length`. */
export interface EventBatch {
  readonly length: number;
  /** Epoch milliseconds; NaN if the log has no valid timestamp for the event. */
  readonly timestamps: Float64Array;
  /** Index into `names`. */
  readonly clients: Uint32Array;
  /**
   * Addresses or pseudonyms of the clients, in order of first appearance. A source may pass the same array again after it
   * has grown: names that were already looked up are not looked up again.
   */
  readonly names: readonly string[];
  /** Index into {@link EVENT_TYPES}. */
  readonly types: Uint8Array;
  /** `retry_interval_ms` from the log; NaN if the event has none. Never derived. */
  readonly intervals: Float64Array;
}

/** Indexes into {@link EVENT_TYPES}. */
export const [CONNECT, DISCONNECT, RETRY] = [0, 1, 2] as const;
