/** Has anybody spoken lately? Told by the server's events, which hear both sides. */
import type { RealtimeEvent } from './transport/realtime-event.ts';

export interface Speech {
  readonly hear: (event: RealtimeEvent) => void;
  /** Milliseconds since somebody was last heard; 0 while the visitor speaks. */
  readonly silentMs: () => number;
}

/** What the model says, and the visitor's words once they are understood. */
const HEARD = /^(?:response|output_audio_buffer|conversation\.item\.input_audio_transcription)\./;

/**
 * The call's own beginning counts: nobody has had time to speak yet.
 * @param silentMs how long nobody had been heard on the connection before this one: a drop is no word
 */
export function createSpeech(now: () => number, silentMs = 0): Speech {
  let heardAt = now() - silentMs;
  let isSpeaking = false;
  return {
    hear({ type }) {
      // A long sentence sends no event between its beginning and its end.
      if (type.startsWith('input_audio_buffer.speech_')) {
        isSpeaking = type.endsWith('started');
        heardAt = now();
      } else if (HEARD.test(type)) {
        heardAt = now();
      }
    },
    silentMs: () => (isSpeaking ? 0 : now() - heardAt),
  };
}
