/**
 * The transcription of what a caller says, if the session asks for it. The stand-in does not recognise words: "Beep 1." At OpenAI
 * it runs beside the response, so its events may come before or after those of the response; here they come before.
 */

import { durationMs } from '../../voice.ts';
import { inputAudioTokens, textTokens } from '../responses/tokens.ts';
import type { Send } from '../server-events.ts';

interface Transcription {
  readonly itemId: string;
  readonly transcript: string;
  readonly samples: Int16Array;
  readonly model: string;
}

export function sendTranscription(send: Send, { itemId, transcript, samples, model }: Transcription): void {
  const part = { item_id: itemId, content_index: 0 };
  if (transcript !== '') {
    send({ type: 'conversation.item.input_audio_transcription.delta', ...part, delta: transcript });
  }
  send({
    type: 'conversation.item.input_audio_transcription.completed',
    ...part,
    transcript,
    usage: usageOf(transcript, samples, model),
  });
}

/** Whisper is charged by the second, and the other models by tokens. */
function usageOf(transcript: string, samples: Int16Array, model: string) {
  if (model.includes('whisper')) {
    return { type: 'duration', seconds: durationMs(samples) / 1000 } as const;
  }
  const audio = inputAudioTokens(samples);
  const output = textTokens(transcript);
  return {
    type: 'tokens',
    input_tokens: audio,
    output_tokens: output,
    total_tokens: audio + output,
    input_token_details: { audio_tokens: audio, text_tokens: 0 },
  } as const;
}
