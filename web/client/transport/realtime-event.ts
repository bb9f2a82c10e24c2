/** An event of OpenAI's Realtime protocol, unchanged. */
export interface RealtimeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
