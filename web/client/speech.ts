/** How long nobody has spoken, according to the server's events, which cover both sides. */
import type { RealtimeEvent } from './transport/realtime-event.ts';

export interface Speech {
  readonly observe: (event: RealtimeEvent) => void;
  /** Milliseconds since somebody last spoke; 0 while the visitor is speaking. */
  readonly silentMs: () => number;
}

/** Events of the model's speech, and of the visitor's words once they are transcribed. */
const SPEECH_EVENT = /^(?:response|output_audio_buffer|conversation\.item\.input_audio_transcription)\./;

/**
 * Silence counts from the moment of this call: before that, nobody has had time to speak.
 * @param silentMs how long nobody had spoken on the previous connection: a drop does not count as speech
 */
export function createSpeech(now: () => number, silentMs = 0): Speech {
  let lastSpeechAt = now() - silentMs;
  let isSpeaking = false;
  return {
    observe({ type }) {
      // During a long sentence, no event arrives between its start and its end.
      if (type.startsWith('input_audio_buffer.speech_')) {
        isSpeaking = type.endsWith('started');
        lastSpeechAt = now();
      } else if (SPEECH_EVENT.test(type)) {
        lastSpeechAt = now();
      }
    },
    silentMs: () => (isSpeaking ? 0 : now() - lastSpeechAt),
  };
}
