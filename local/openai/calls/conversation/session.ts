/**
 * The settings of a session: those of its key, completed with OpenAI's defaults, and changed by `session.update`. Defaults are
 * those of the comments in the npm package `openai` (7.60.0), or else of the example of `session.created` in OpenAI's reference.
 */

import type {
  RealtimeAudioConfigOutput,
  RealtimeSessionCreateRequest,
  RealtimeToolChoiceConfig,
} from 'openai/resources/realtime/realtime.js';
import type { Refusal } from '../../api/errors.ts';
import { newId } from '../../api/ids.ts';
import { refusalOfSession, type Session } from '../../api/session-settings.ts';
import type { AudioFormat } from '../audio-formats.ts';
import { type Progress, refusalOfChange } from './fixed-settings.ts';
import { DEFAULT_TURN_DETECTION, type TurnDetection, withDefaults } from './input/turn-detection.ts';
import type { ServerEvent } from './server-events.ts';

export type Modality = 'text' | 'audio';
export type Voice = NonNullable<RealtimeAudioConfigOutput['voice']>;
export type Tool = NonNullable<RealtimeSessionCreateRequest['tools']>[number];
export type ToolChoice = RealtimeToolChoiceConfig;

/** The settings that the stand-in obeys. The others are only shown. */
export interface Settings {
  readonly id: string;
  readonly type: Session['type'];
  readonly model?: string;
  readonly instructions: string;
  readonly output_modalities: readonly Modality[];
  readonly tools: readonly Tool[];
  readonly tool_choice: ToolChoice;
  readonly max_output_tokens: number | 'inf';
  readonly tracing: unknown;
  readonly audio: {
    readonly input: {
      readonly format: { readonly type: AudioFormat };
      readonly transcription: { readonly model?: string } | null;
      readonly turn_detection: TurnDetection | null;
    };
    readonly output: { readonly format: { readonly type: AudioFormat }; readonly voice: Voice; readonly speed: number };
  };
}

const SESSION_SECONDS = 3_600;
const PCM = { type: 'audio/pcm', rate: 24_000 } as const;
const INPUT = { format: PCM, transcription: null, noise_reduction: null, turn_detection: DEFAULT_TURN_DETECTION };
const DEFAULTS = {
  instructions: 'You are a helpful, witty, and friendly AI.',
  output_modalities: ['audio'],
  tools: [],
  tool_choice: 'auto',
  max_output_tokens: 'inf',
  tracing: null,
  truncation: 'auto',
  prompt: null,
  include: null,
  audio: { input: INPUT, output: { format: PCM, voice: 'alloy', speed: 1 } },
} as const;

export type LiveSession = ReturnType<typeof createSession>;

/** @param now epoch milliseconds */
export function createSession(minted: Session, now: () => number) {
  // A key can open several sessions, so they do not share the id that came with it.
  let settings: Settings = { ...changed(DEFAULTS, minted), id: newId('sess') };
  const expiresAt = Math.floor(now() / 1000) + SESSION_SECONDS;

  /** Changes nothing if any part of the update is invalid. */
  function update(change: Session, progress: Progress): Refusal | undefined {
    const refusal = refusalOfSession(change, now()) ?? refusalOfChange(settings, change, progress);
    if (refusal === undefined) {
      settings = changed(settings, change);
    }
    return refusal;
  }

  function shown(): Extract<ServerEvent, { type: 'session.created' }>['session'] {
    // The package's type is that of a request: it has neither id nor expires_at.
    return { ...visible(settings), expires_at: expiresAt } as unknown as ReturnType<typeof shown>;
  }

  return {
    current: () => settings,
    formats: () => ({ input: settings.audio.input.format.type, output: settings.audio.output.format.type }),
    update,
    shown,
  };
}

function visible(settings: Settings): object {
  if (settings.type === 'realtime') {
    return { object: 'realtime.session', ...settings };
  }
  // It has no model, and so no settings of what the model does.
  const { id, type, audio } = settings;
  return { object: 'realtime.transcription_session', id, type, audio: { input: audio.input }, include: null };
}

/** "Only the fields that are present are updated": below `audio` too, where every other setting is replaced as a whole. */
function changed(base: object, update: Session): Settings {
  // Both parts are valid: the base is complete, and refusalOfSession has checked the update. Only turn detection is not complete.
  const merged = {
    ...base,
    ...update,
    audio: merge(fieldsOf(base)['audio'], update.audio ?? {}),
  } as unknown as Settings;
  const { audio } = merged;
  const detection = audio.input.turn_detection;
  const turn_detection = detection === null ? null : withDefaults(detection);
  return { ...merged, audio: { ...audio, input: { ...audio.input, turn_detection } } };
}

type Fields = Readonly<Record<string, unknown>>;

/** Objects of different types, such as two kinds of turn detection, have no fields in common: the new one replaces the old. */
function merge(base: unknown, update: unknown): unknown {
  if (!isObject(base) || !isObject(update) || (base['type'] ?? update['type']) !== (update['type'] ?? base['type'])) {
    return update;
  }
  const merged = Object.entries(update).map(([name, value]) => [name, merge(base[name], value)]);
  return { ...base, ...Object.fromEntries(merged) };
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
