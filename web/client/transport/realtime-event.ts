/** An event of OpenAI's Realtime protocol, as it came. */
export interface RealtimeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
