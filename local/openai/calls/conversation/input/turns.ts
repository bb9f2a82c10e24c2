/**
 * Whose turn it is. When the caller starts to speak, the model is interrupted; when the caller stops, the model responds; when
 * nobody speaks for long, the model speaks again. Each of these is a setting of turn detection.
 */

import type { Refusal } from '../../../api/errors.ts';
import type { ItemEvents } from '../items/item-events.ts';
import type { Items, StoredItem } from '../items/items.ts';
import type { Playback } from '../responses/playback.ts';
import type { Responses } from '../responses/responses.ts';
import type { Send } from '../server-events.ts';
import type { Settings } from '../session.ts';
import { createIdleTimeout } from './idle-timeout.ts';
import { type Committed, createInputAudio } from './input-audio.ts';
import { sendTranscription } from './transcription.ts';

interface TurnsOptions {
  readonly send: Send;
  readonly session: () => Settings;
  readonly items: Items;
  readonly itemEvents: ItemEvents;
  readonly playback: Playback;
  readonly responses: Pick<Responses, 'create' | 'cancel' | 'isActive'>;
  /** The server plays the model's audio, and so it knows what the caller has heard. */
  readonly isPlayedHere: boolean;
  /** Takes the refusal of a response that no client asked for. */
  readonly onRefused: (refusal: Refusal) => void;
}

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(options: TurnsOptions) {
  const { send, session, items, itemEvents, playback, responses, isPlayedHere, onRefused } = options;
  const turnDetection = () => session().audio.input.turn_detection;
  let beeps = 0;

  const input = createInputAudio({
    send,
    turnDetection,
    onSpeechStarted() {
      if (turnDetection()?.interrupt_response === true) {
        responses.cancel('turn_detected');
        cutOff();
      }
      // Last, because the end of a response restarts it.
      idle.cancel();
    },
    onSpeechStopped(speech) {
      add(speech);
      if (turnDetection()?.create_response === true) {
        respond();
      }
    },
  });

  const idle = createIdleTimeout({
    idleMs() {
      const detection = turnDetection();
      return detection?.type === 'server_vad' && !input.isSpeaking() ? detection.idle_timeout_ms : null;
    },
    playbackMs: playback.remainingMs,
    onTimeout(idleMs) {
      const silence = input.take();
      const end = Math.round(input.writtenMs());
      const span = { audio_start_ms: Math.max(0, end - idleMs), audio_end_ms: end };
      send({ type: 'input_audio_buffer.timeout_triggered', item_id: silence.itemId, ...span });
      add(silence);
      respond();
    },
  });

  /** Adds audio from the buffer to the conversation, and transcribes it. */
  function add(committed: Committed): void {
    const { itemId, samples, heard } = committed;
    beeps += heard === undefined ? 0 : 1;
    const transcript = heard === undefined ? '' : `Beep ${beeps}.`;
    send({ type: 'input_audio_buffer.committed', item_id: itemId, previous_item_id: items.lastId() });
    itemEvents.add(spokenItem(committed, beeps, null));
    const { transcription } = session().audio.input;
    if (transcription !== null) {
      items.replace(spokenItem(committed, beeps, transcript));
      sendTranscription(send, { itemId, transcript, samples, model: transcription.model ?? '' });
    }
  }

  function respond(): void {
    const refusal = session().type === 'realtime' ? responses.create() : undefined;
    if (refusal !== undefined) {
      onRefused(refusal);
    }
  }

  /** Stops the playback, and truncates what the caller has not heard. Over a WebSocket, only the client knows that. */
  function cutOff(): void {
    const unheard = playback.clear();
    for (const { itemId, playedMs } of isPlayedHere ? unheard : []) {
      const stored = items.find(itemId);
      if (stored !== undefined && stored.audio.size > 0) {
        itemEvents.cut(stored, 0, playedMs);
      }
    }
  }

  return {
    hear: input.append,
    clear: input.clear,
    cutOff,
    /** For `input_audio_buffer.commit`, which asks for no response. */
    commit(): Refusal | undefined {
      const committed = input.commit();
      if ('refusal' in committed) {
        return committed.refusal;
      }
      add(committed);
      return undefined;
    },
    /** Stops the idle timeout when a response begins, and restarts it when one ends. */
    responsesChanged: () => (responses.isActive() ? idle.cancel() : idle.restart()),
    end: idle.cancel,
  };
}

function spokenItem({ itemId: id, samples, heard }: Committed, number: number, transcript: string | null): StoredItem {
  const content = [{ type: 'input_audio', transcript } as const];
  return {
    item: { id, object: 'realtime.item', type: 'message', role: 'user', status: 'completed', content },
    audio: new Map([[0, samples]]),
    ...(heard === undefined ? {} : { beep: { number, samples: heard } }),
  };
}
