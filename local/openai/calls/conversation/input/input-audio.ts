/**
 * The input audio buffer: audio of the microphone, or of `input_audio_buffer.append`, until it is committed as an item. With
 * turn detection, sound above a threshold starts an utterance, silence ends and commits it, and silence before it is dropped,
 * except for the padding. Without turn detection, the buffer keeps everything until the client commits or clears it.
 */

import type { Refusal } from '../../../api/errors.ts';
import { newId } from '../../../api/ids.ts';
import { durationMs, joined, samplesIn } from '../../voice.ts';
import type { Send } from '../server-events.ts';
import { type Thresholds, type TurnDetection, thresholdsOf } from './turn-detection.ts';

/** Audio that has left the buffer to become an item. */
export interface Committed {
  readonly itemId: string;
  readonly samples: Int16Array;
  /** What was heard, without the silence before it. Undefined if all of it is silence. */
  readonly heard: Int16Array | undefined;
}

interface InputAudioOptions {
  readonly send: Send;
  readonly turnDetection: () => TurnDetection | null;
  readonly onSpeechStarted: () => void;
  /** The speech has ended, and its audio is committed. */
  readonly onSpeechStopped: (speech: Committed) => void;
}

/** Speech is detected with this precision. */
const FRAME_MS = 20;
const FRAME = samplesIn(FRAME_MS);
const LEAST_MS = 100;
/** Without turn detection, the default decides what is sound. */
const LOUD = 1_000;

export type InputAudio = ReturnType<typeof createInputAudio>;

export function createInputAudio({ send, turnDetection, onSpeechStarted, onSpeechStopped }: InputAudioOptions) {
  let frames: Int16Array[] = [];
  let bufferedMs = 0;
  /** Since the session began. */
  let writtenMs = 0;
  /** An utterance in progress, and the silence at its end so far. */
  let speech: { readonly itemId: string; quietMs: number } | undefined;

  function append(samples: Int16Array): void {
    for (let at = 0; at < samples.length; at += FRAME) {
      const frame = samples.subarray(at, at + FRAME);
      frames.push(frame);
      bufferedMs += durationMs(frame);
      writtenMs += durationMs(frame);
      const detection = turnDetection();
      if (detection === null) {
        speech = undefined;
      } else {
        detect(frame, thresholdsOf(detection));
      }
    }
  }

  function detect(frame: Int16Array, { loud, paddingMs, silenceMs }: Thresholds): void {
    if (isLoud(frame, loud)) {
      speech ??= started();
      speech.quietMs = 0;
    } else if (speech === undefined) {
      keepLast(paddingMs);
    } else {
      speech.quietMs += durationMs(frame);
      if (speech.quietMs >= silenceMs) {
        stopped(speech.itemId);
      }
    }
  }

  function started(): { readonly itemId: string; quietMs: number } {
    const itemId = newId('item');
    const at = Math.round(writtenMs - bufferedMs);
    send({ type: 'input_audio_buffer.speech_started', item_id: itemId, audio_start_ms: at });
    onSpeechStarted();
    return { itemId, quietMs: 0 };
  }

  function stopped(itemId: string): void {
    send({ type: 'input_audio_buffer.speech_stopped', item_id: itemId, audio_end_ms: Math.round(writtenMs) });
    onSpeechStopped(take());
  }

  function keepLast(ms: number): void {
    for (let first = frames[0]; first !== undefined && bufferedMs - durationMs(first) >= ms; first = frames[0]) {
      bufferedMs -= durationMs(first);
      frames.shift();
    }
  }

  /** Empties the buffer. @returns its content, however short */
  function take(): Committed {
    const detection = turnDetection();
    const loud = detection === null ? LOUD : thresholdsOf(detection).loud;
    const firstLoud = frames.findIndex((frame) => isLoud(frame, loud));
    const heard = firstLoud === -1 ? undefined : joined(frames.slice(firstLoud));
    const committed = { itemId: speech?.itemId ?? newId('item'), samples: joined(frames), heard };
    empty();
    return committed;
  }

  function empty(): void {
    frames = [];
    bufferedMs = 0;
    speech = undefined;
  }

  return {
    append,
    take,
    /** For `input_audio_buffer.commit`. */
    commit(): Committed | { readonly refusal: Refusal } {
      if (bufferedMs < LEAST_MS) {
        const message = `Error committing input audio buffer: buffer too small. Expected at least ${LEAST_MS}ms of audio, but buffer only has ${bufferedMs.toFixed(2)}ms of audio.`;
        return { refusal: { message, code: 'input_audio_buffer_commit_empty' } };
      }
      return take();
    },
    clear(): void {
      empty();
      send({ type: 'input_audio_buffer.cleared' });
    },
    writtenMs: () => writtenMs,
    isSpeaking: () => speech !== undefined,
  };
}

function isLoud(frame: Int16Array, loud: number): boolean {
  return frame.some((sample) => Math.abs(sample) > loud);
}
