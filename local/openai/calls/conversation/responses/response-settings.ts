/** The settings of one response: those of the session, except for what `response.create` overrides. */

import type { RealtimeResponseCreateParams, ResponseItemReference } from 'openai/resources/realtime/realtime.js';
import { invalidValue, type Refusal } from '../../../api/errors.ts';
import { refusalOfShape, type ShapeOf } from '../../../api/object-shapes.ts';
import { refusalOfValues } from '../../../api/setting-values.ts';
import type { AudioFormat } from '../../audio-formats.ts';
import { createdItem } from '../items/created-item.ts';
import type { Items, StoredItem } from '../items/items.ts';
import type { Modality, Settings, Tool, ToolChoice, Voice } from '../session.ts';

export interface ResponseSettings {
  /** Its output is not added to the conversation. */
  readonly isOutOfBand: boolean;
  readonly context: readonly StoredItem[];
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly modality: Modality;
  readonly maxOutputTokens: number | 'inf';
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly format: { readonly type: AudioFormat };
  readonly voice: Voice;
}

const SHAPE = {
  audio: { output: { format: ['object'], voice: ['string', 'object'] } },
  conversation: ['string'],
  input: ['array'],
  instructions: ['string'],
  max_output_tokens: ['integer', 'string'],
  metadata: ['object', 'null'],
  output_modalities: ['array'],
  parallel_tool_calls: ['boolean'],
  prompt: ['object', 'null'],
  reasoning: ['object'],
  tool_choice: ['string', 'object'],
  tools: ['array'],
} as const satisfies ShapeOf<RealtimeResponseCreateParams>;

const METADATA = { entries: 16, key: 64, value: 512 };

/** @param params as the client sent them; empty for a response that the server creates */
export function responseSettings(
  params: RealtimeResponseCreateParams,
  session: Settings,
  items: Items,
): { readonly settings: ResponseSettings } | { readonly refusal: Refusal } {
  const refusal =
    refusalOfShape(params, SHAPE, 'response') ??
    refusalOfValues(params, 'response') ??
    refusalOfMetadata(params.metadata ?? {});
  if (refusal !== undefined) {
    return { refusal };
  }
  const context = contextOf(params, session, items);
  if ('refusal' in context) {
    return context;
  }
  const { output } = session.audio;
  const { format, voice } = params.audio?.output ?? {};
  const [modality = 'audio'] = params.output_modalities ?? session.output_modalities;
  return {
    settings: {
      isOutOfBand: params.conversation === 'none',
      context: context.items,
      instructions: params.instructions ?? session.instructions,
      tools: params.tools ?? session.tools,
      toolChoice: params.tool_choice ?? session.tool_choice,
      modality,
      maxOutputTokens: params.max_output_tokens ?? session.max_output_tokens,
      metadata: params.metadata ?? null,
      format: { ...output.format, ...format },
      voice: voice ?? output.voice,
    },
  };
}

/** "Using this field creates a new context": also an empty list does. */
function contextOf(
  { input }: RealtimeResponseCreateParams,
  session: Settings,
  items: Items,
): { readonly items: readonly StoredItem[] } | { readonly refusal: Refusal } {
  if (input === undefined) {
    return { items: items.all() };
  }
  const context: StoredItem[] = [];
  for (const [index, item] of (input as readonly unknown[]).entries()) {
    const path = `response.input[${index}]`;
    const found = isReference(item)
      ? referenced(item.id, path, items)
      : createdItem(item, path, session.audio.input.format.type);
    if ('refusal' in found) {
      return found;
    }
    context.push(found.stored);
  }
  return { items: context };
}

/** The package's type of `response.create` lacks references; its `ResponseCreateEventWithReferencesParam` has them. */
function isReference(item: unknown): item is ResponseItemReference {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'item_reference';
}

function referenced(
  id: string,
  path: string,
  items: Items,
): { readonly stored: StoredItem } | { readonly refusal: Refusal } {
  const stored = items.find(id);
  const message = `Error referencing item: the item with id '${id}' does not exist.`;
  return stored === undefined ? { refusal: { message, param: `${path}.id`, code: 'invalid_value' } } : { stored };
}

function refusalOfMetadata(metadata: object): Refusal | undefined {
  const entries = Object.entries(metadata);
  if (entries.length > METADATA.entries) {
    return invalidValue('response.metadata', `${entries.length} pairs`, `up to ${METADATA.entries} pairs`);
  }
  for (const [key, value] of entries) {
    if (key.length > METADATA.key || typeof value !== 'string' || value.length > METADATA.value) {
      const supported = `texts of up to ${METADATA.value} characters, with keys of up to ${METADATA.key}`;
      return invalidValue(`response.metadata.${key}`, value, supported);
    }
  }
  return undefined;
}
