/**
 * The settings that a `session.update` cannot change, or not at any time. A client may repeat them. OpenAI's code is known for the
 * voice alone; the others are guesses after it.
 */

import type { Refusal } from '../../api/errors.ts';
import type { Session } from '../../api/session-settings.ts';
import type { Settings } from './session.ts';

/** What a `session.update` must not disturb. */
export interface Progress {
  readonly isResponding: boolean;
  /** The model has spoken at least once. */
  readonly hasSpoken: boolean;
}

export function refusalOfChange(settings: Settings, update: Session, progress: Progress): Refusal | undefined {
  if (update.type !== settings.type) {
    const message = `Passing a ${update.type} session update event to a ${settings.type} session is not allowed.`;
    return { message, param: 'session.type', code: 'invalid_value' };
  }
  return update.type === 'realtime' ? refusalOfFixed(settings, update, progress) : undefined;
}

function refusalOfFixed(
  settings: Settings,
  { model, tracing, audio }: Extract<Session, { type: 'realtime' }>,
  { isResponding, hasSpoken }: Progress,
): Refusal | undefined {
  const { voice, speed } = audio?.output ?? {};
  if (model !== undefined && model !== settings.model) {
    return fixed('model', "Cannot update a session's model.");
  }
  if (hasSpoken && voice !== undefined && !same(voice, settings.audio.output.voice)) {
    return VOICE_IS_FIXED;
  }
  if (isResponding && speed !== undefined && speed !== settings.audio.output.speed) {
    return fixed('speed', "Cannot update a session's speed while a response is in progress.");
  }
  if (settings.tracing !== null && tracing !== undefined && !same(tracing, settings.tracing)) {
    return fixed('tracing', "Cannot update a session's tracing once it is enabled.");
  }
  return undefined;
}

export const VOICE_IS_FIXED = fixed('voice', "Cannot update a conversation's voice if assistant audio is present.");

function fixed(setting: string, message: string): Refusal {
  return { message, code: `cannot_update_${setting}` };
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
