/**
 * The responses of a conversation: at most one at a time for the conversation itself, and any number beside it. They are
 * generated some five times faster than they are played, so a client has time to cancel them.
 */

import type { RealtimeResponseCreateParams } from 'openai/resources/realtime/realtime.js';
import type { Refusal } from '../../../api/errors.ts';
import { VOICE_IS_FIXED } from '../fixed-settings.ts';
import type { ItemEvents } from '../items/item-events.ts';
import type { Items } from '../items/items.ts';
import type { OutgoingEvent, Send } from '../server-events.ts';
import type { Settings, Voice } from '../session.ts';
import type { Playback } from './playback.ts';
import type { Reply } from './reply.ts';
import { type CancelReason, createResponse, type Response } from './response.ts';
import { type ResponseSettings, responseSettings } from './response-settings.ts';
import type { Segment } from './usage.ts';

/** A piece of audio has 100 ms. */
const STEP_MS = 20;
const TOKENS_PER_MINUTE = 40_000;

interface ResponsesOptions {
  readonly send: Send;
  readonly session: () => Settings;
  readonly items: Items;
  readonly itemEvents: ItemEvents;
  readonly playback: Playback;
  readonly conversationId: string;
  /** Called for each piece of audio. @returns whether it must be sent as an event */
  readonly onAudio: () => boolean;
  /** A response of the conversation has begun or ended. */
  readonly onChange: () => void;
}

export type Responses = ReturnType<typeof createResponses>;

export function createResponses(options: ResponsesOptions) {
  const { session, items, playback, onChange } = options;
  const active = new Map<Response, NodeJS.Timeout | undefined>();
  let hasSpoken = false;
  let seen: readonly Segment[] = [];
  let spentTokens = 0;

  function current(): Response | undefined {
    return [...active.keys()].find(({ isOutOfBand }) => !isOutOfBand);
  }

  function create(params: RealtimeResponseCreateParams = {}): Refusal | undefined {
    const checked = responseSettings(params, session(), items);
    if ('refusal' in checked) {
      return checked.refusal;
    }
    const { settings } = checked;
    const refusal = settings.isOutOfBand ? undefined : (refusalOfSecond() ?? refusalOfVoice(settings.voice));
    if (refusal === undefined) {
      const response = begin(settings);
      active.set(
        response,
        setInterval(() => response.advance(), STEP_MS),
      );
    }
    return refusal;
  }

  /**
   * Says something at once, and as if nothing had been said: no client expects it, because OpenAI never speaks first. So it
   * does not stand in the way of a client's first response, and the voice can still be changed.
   */
  function greet(text: string): void {
    const checked = responseSettings({}, session(), items);
    if ('settings' in checked) {
      const response = begin(checked.settings, { kind: 'message', text });
      while (response.advance()) {
        // Each call generates a piece.
      }
      hasSpoken = false;
    }
  }

  function begin(settings: ResponseSettings, reply?: Reply): Response {
    const response = createResponse({
      ...options,
      settings,
      ...(reply === undefined ? {} : { reply }),
      speak(responseId, itemId, samples) {
        hasSpoken ||= !settings.isOutOfBand;
        playback.add(responseId, itemId, samples);
        return options.onAudio();
      },
      rateLimits,
      previous: seen,
      onDone: finished,
    });
    active.set(response, undefined);
    onChange();
    response.start();
    return response;
  }

  function finished(response: Response, totalTokens: number, context: readonly Segment[]): void {
    clearInterval(active.get(response));
    active.delete(response);
    spentTokens += totalTokens;
    if (!response.isOutOfBand) {
      seen = context;
    }
    playback.finish(response.id);
    onChange();
  }

  function refusalOfSecond(): Refusal | undefined {
    const other = current();
    if (other === undefined) {
      return undefined;
    }
    const message = `Conversation already has an active response in progress: ${other.id}. Wait until the response is finished before creating a new one.`;
    return { message, code: 'conversation_already_has_active_response' };
  }

  function refusalOfVoice(voice: Voice): Refusal | undefined {
    const isOther = JSON.stringify(voice) !== JSON.stringify(session().audio.output.voice);
    return hasSpoken && isOther ? VOICE_IS_FIXED : undefined;
  }

  /** @param responseId @default the response of the conversation */
  function cancel(reason: CancelReason, responseId?: string): Refusal | undefined {
    const response = responseId === undefined ? current() : [...active.keys()].find(({ id }) => id === responseId);
    if (response === undefined) {
      return { message: 'Cancellation failed: no active response found', code: 'response_cancel_not_active' };
    }
    response.cancel(reason);
    return undefined;
  }

  function rateLimits(): OutgoingEvent {
    const remaining = Math.max(0, TOKENS_PER_MINUTE - spentTokens);
    const reset = ((TOKENS_PER_MINUTE - remaining) / TOKENS_PER_MINUTE) * 60;
    const limit = { name: 'tokens', limit: TOKENS_PER_MINUTE, remaining, reset_seconds: reset } as const;
    return { type: 'rate_limits.updated', rate_limits: [limit] };
  }

  /** Generates nothing more, and sends nothing about it. */
  function stop(): void {
    for (const timer of active.values()) {
      clearInterval(timer);
    }
    active.clear();
  }

  return {
    create,
    greet,
    cancel,
    stop,
    isActive: () => current() !== undefined,
    hasSpoken: () => hasSpoken,
  };
}
