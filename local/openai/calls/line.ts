/** What a call needs of its connection, over WebRTC and WebSocket alike. */

import type { ServerEvent } from './conversation/server-events.ts';

export interface Line {
  readonly send: (event: ServerEvent) => void;
  /** Undefined for a WebSocket, which gets audio as events. */
  readonly speaker?: Speaker;
  /** Breaks the connection; the other side sees this at once. */
  readonly drop: () => void;
  /** Sends nothing more; the other side must detect this by itself. */
  readonly vanish: () => void;
  /** Closes the connection as OpenAI does at the end of a session. */
  readonly close: () => void;
}

/** Plays audio to the caller in real time. */
export interface Speaker {
  /** Plays the samples after those that are still waiting. @param samples at the rate of audio/pcm */
  readonly play: (samples: Int16Array) => void;
  /** Discards what has not been played. */
  readonly clear: () => void;
}

/** Packets of audio: RTP packets, or events with audio. */
export interface AudioCount {
  received: number;
  sent: number;
}
