/**
 * The values that OpenAI accepts for the settings of a session and of a single response, as the comments of the npm package
 * `openai` (7.60.0, resources/realtime/realtime.d.ts) describe them. Types and names are checked before: see object-shapes.ts.
 */

import { invalidValue, missingParameter, outOfRange, type Refusal } from './errors.ts';

type Check = (value: unknown, param: string) => Refusal | undefined;

const VOICES = ['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'marin', 'sage', 'shimmer', 'verse'];
const FORMATS = ['audio/pcm', 'audio/pcmu', 'audio/pcma'];
const ANY = Number.POSITIVE_INFINITY;

/** By the path of the setting. An absent setting is valid, and so is null where the shape allows it. */
const CHECKS: Readonly<Record<string, Check>> = {
  'audio.input.format.type': oneOf(...FORMATS),
  'audio.input.format.rate': oneOf(24_000),
  'audio.input.noise_reduction.type': oneOf('near_field', 'far_field'),
  'audio.input.transcription.model': isText,
  'audio.input.turn_detection': hasType,
  'audio.input.turn_detection.type': oneOf('server_vad', 'semantic_vad'),
  'audio.input.turn_detection.eagerness': oneOf('low', 'medium', 'high', 'auto'),
  'audio.input.turn_detection.threshold': between(0, 1, 'decimal'),
  'audio.input.turn_detection.prefix_padding_ms': between(0, ANY, 'integer'),
  'audio.input.turn_detection.silence_duration_ms': between(0, ANY, 'integer'),
  'audio.input.turn_detection.idle_timeout_ms': between(1, ANY, 'integer'),
  'audio.output.format.type': oneOf(...FORMATS),
  'audio.output.format.rate': oneOf(24_000),
  'audio.output.speed': between(0.25, 1.5, 'decimal'),
  'audio.output.voice': unlessObject(oneOf(...VOICES)),
  conversation: oneOf('auto', 'none'),
  max_output_tokens: (value, param) =>
    typeof value === 'number'
      ? outOfRange(param, value, { least: 1, most: 4096 }, 'integer')
      : oneOf('inf')(value, param),
  output_modalities: isOneModality,
  tool_choice: unlessObject(oneOf('none', 'auto', 'required')),
  tools: areTools,
};
const TOOL_TYPES = oneOf('function', 'mcp');

/** @param path `session` or `response` */
export function refusalOfValues(settings: object, path: string): Refusal | undefined {
  for (const [setting, check] of Object.entries(CHECKS)) {
    const value = valueAt(settings, setting.split('.'));
    const refusal = value === undefined || value === null ? undefined : check(value, `${path}.${setting}`);
    if (refusal !== undefined) {
      return refusal;
    }
  }
  return undefined;
}

function valueAt(from: unknown, [field, ...rest]: readonly string[]): unknown {
  if (field === undefined) {
    return from;
  }
  return isObject(from) ? valueAt(from[field], rest) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function oneOf(...supported: readonly (string | number)[]): Check {
  const list = supported.map((value) => `'${value}'`).join(', ');
  return (value, param) => (supported.some((one) => one === value) ? undefined : invalidValue(param, value, list));
}

function between(least: number, most: number, kind: 'integer' | 'decimal'): Check {
  return (value, param) =>
    typeof value === 'number'
      ? outOfRange(param, value, { least, most }, kind)
      : { message: `Invalid type for '${param}': expected a number.`, param, code: 'invalid_type' };
}

function unlessObject(check: Check): Check {
  return (value, param) => (isObject(value) ? undefined : check(value, param));
}

function hasType(value: unknown, param: string): Refusal | undefined {
  return isObject(value) && value['type'] === undefined ? missingParameter(`${param}.type`) : undefined;
}

function isText(value: unknown, param: string): Refusal | undefined {
  const message = `Invalid type for '${param}': expected a string.`;
  return typeof value === 'string' ? undefined : { message, param, code: 'invalid_type' };
}

function areTools(value: unknown, param: string): Refusal | undefined {
  for (const [index, tool] of (Array.isArray(value) ? value : []).entries()) {
    const path = `${param}[${index}].type`;
    const type = isObject(tool) ? tool['type'] : undefined;
    const refusal = type === undefined ? missingParameter(path) : TOOL_TYPES(type, path);
    if (refusal !== undefined) {
      return refusal;
    }
  }
  return undefined;
}

/** "It is not possible to request both `text` and `audio` at the same time." */
function isOneModality(value: unknown, param: string): Refusal | undefined {
  const [modality, ...others] = Array.isArray(value) ? value : [];
  return (modality === 'text' || modality === 'audio') && others.length === 0
    ? undefined
    : invalidValue(param, value, "['text'] and ['audio']");
}
