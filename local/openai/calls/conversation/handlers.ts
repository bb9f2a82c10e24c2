/** What the conversation does about each event of a client. Where nothing else is said, the answer is sent by whoever does it. */

import type { Refusal } from '../../api/errors.ts';
import { fromBase64 } from '../audio-formats.ts';
import type { AudioCount } from '../line.ts';
import type { ClientEvents, ClientEventType } from './client-events.ts';
import type { Turns } from './input/turns.ts';
import { invalidAudio } from './items/created-content.ts';
import type { ItemEvents } from './items/item-events.ts';
import type { Responses } from './responses/responses.ts';
import type { Send } from './server-events.ts';
import type { LiveSession } from './session.ts';

/** "Up to a maximum of 15 MiB" in one event, as base64. */
const APPEND_LIMIT = (15 * 2 ** 20 * 4) / 3;

/** A handler refuses an event that is invalid, and then has changed nothing. */
export type Handlers = { readonly [Type in ClientEventType]: (event: ClientEvents[Type]) => Refusal | undefined };

interface HandlersOptions {
  readonly send: Send;
  readonly session: LiveSession;
  readonly responses: Responses;
  readonly turns: Turns;
  readonly itemEvents: ItemEvents;
  /** The server plays the model's audio. */
  readonly isPlayedHere: boolean;
  readonly audio: AudioCount;
}

export function createHandlers(options: HandlersOptions): Handlers {
  const { send, session, responses, turns, itemEvents, isPlayedHere, audio } = options;
  return {
    'session.update'(event) {
      const progress = { isResponding: responses.isActive(), hasSpoken: responses.hasSpoken() };
      const refusal = session.update(event.session, progress);
      if (refusal === undefined) {
        send({ type: 'session.updated', session: session.shown() });
      }
      return refusal;
    },
    'input_audio_buffer.append'(event) {
      audio.received += 1;
      const samples = event.audio.length <= APPEND_LIMIT ? fromBase64(event.audio, session.formats().input) : undefined;
      if (samples === undefined) {
        return invalidAudio('audio');
      }
      turns.hear(samples);
      return;
    },
    'input_audio_buffer.commit': () => turns.commit(),
    'input_audio_buffer.clear'() {
      turns.clear();
      return;
    },
    'output_audio_buffer.clear'() {
      if (!isPlayedHere) {
        const message = 'output_audio_buffer.clear is only supported over WebRTC and SIP.';
        return { message, param: 'type', code: 'invalid_value' };
      }
      turns.cutOff();
      return;
    },
    'conversation.item.create': itemEvents.create,
    'conversation.item.retrieve': itemEvents.retrieve,
    'conversation.item.truncate': itemEvents.truncate,
    'conversation.item.delete': itemEvents.remove,
    'response.create'(event) {
      return session.current().type === 'realtime'
        ? responses.create(event.response ?? {})
        : { message: 'A transcription session has no responses.', param: 'type', code: 'invalid_value' };
    },
    'response.cancel': (event) => responses.cancel('client_cancelled', event.response_id ?? undefined),
  };
}
