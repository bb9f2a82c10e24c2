/**
 * The settings of a Realtime session: the settings and models that OpenAI accepts, and the effective settings of a session. They
 * are type-checked against the npm package `openai` (7.60.0, resources/realtime/realtime.d.ts): if a later version adds a
 * setting, this file does not compile until the setting is added here.
 */

import type {
  ClientSecretCreateParams,
  ClientSecretCreateResponse,
  RealtimeSessionCreateResponse,
} from 'openai/resources/realtime/client-secrets.js';
import type {
  RealtimeSessionCreateRequest,
  RealtimeTranscriptionSessionCreateRequest,
} from 'openai/resources/realtime/realtime.js';
import { invalidValue, missingParameter, type Refusal } from './errors.ts';
import { newId } from './ids.ts';
import { refusalOfShape, type ShapeOf } from './object-shapes.ts';
import { refusalOfValues } from './setting-values.ts';

export type Session = NonNullable<ClientSecretCreateParams['session']>;

const AUDIO_INPUT = {
  format: ['object'],
  noise_reduction: ['object', 'null'],
  transcription: ['object', 'null'],
  turn_detection: ['object', 'null'],
} as const;

const SETTINGS_BY_TYPE = {
  realtime: {
    type: ['string'],
    audio: {
      input: AUDIO_INPUT,
      output: { format: ['object'], speed: ['number'], voice: ['string', 'object'] },
    },
    include: ['array'],
    instructions: ['string'],
    max_output_tokens: ['integer', 'string'],
    model: ['string'],
    output_modalities: ['array'],
    parallel_tool_calls: ['boolean'],
    prompt: ['object', 'null'],
    reasoning: ['object'],
    tool_choice: ['string', 'object'],
    tools: ['array'],
    tracing: ['string', 'object', 'null'],
    truncation: ['string', 'object'],
  },
  transcription: {
    type: ['string'],
    audio: { input: AUDIO_INPUT },
    include: ['array'],
  },
} as const satisfies {
  realtime: ShapeOf<RealtimeSessionCreateRequest>;
  transcription: ShapeOf<RealtimeTranscriptionSessionCreateRequest>;
};

const NEVER = Number.POSITIVE_INFINITY;
const IN_JANUARY = Date.UTC(2027, 0, 20);
/** The shutdown date of each model, from OpenAI's deprecations page. */
const SHUTDOWN: ReadonlyMap<string, number> = new Map([
  ['gpt-realtime-2.1', NEVER],
  ['gpt-realtime-2.1-mini', NEVER],
  ['gpt-realtime-2', NEVER],
  ['gpt-realtime-1.5', NEVER],
  ['gpt-realtime', IN_JANUARY],
  ['gpt-realtime-2025-08-28', IN_JANUARY],
  ['gpt-realtime-mini', IN_JANUARY],
]);
const DEFAULT_MODEL = 'gpt-realtime-2.1';

/** @param nowMs epoch milliseconds; decides which models have been shut down */
export function refusalOfSession(session: Session, nowMs: number): Refusal | undefined {
  const param = 'session.type';
  if (session.type === undefined) {
    return missingParameter(param);
  }
  if (!Object.hasOwn(SETTINGS_BY_TYPE, session.type)) {
    return invalidValue(param, session.type, "'realtime' and 'transcription'");
  }
  return (
    refusalOfShape(session, SETTINGS_BY_TYPE[session.type], 'session') ??
    refusalOfValues(session, 'session') ??
    (session.type === 'realtime' ? refusalOfModel(session.model ?? DEFAULT_MODEL, nowMs) : undefined)
  );
}

function refusalOfModel(model: string, nowMs: number): Refusal | undefined {
  if (nowMs < (SHUTDOWN.get(model) ?? 0)) {
    return undefined;
  }
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { message, code: 'model_not_found', status: 404 };
}

/** All requested settings, including the owner's instructions, with an id. */
export function effectiveSession(session: Session): ClientSecretCreateResponse['session'] {
  const id = newId('sess');
  if (session.type === 'transcription') {
    return { id, object: 'realtime.transcription_session', ...session };
  }
  // The package's response type lacks custom voices, `{"id":"voice_…"}`; its request type has them.
  return { id, object: 'realtime.session', model: DEFAULT_MODEL, ...session } as RealtimeSessionCreateResponse;
}
