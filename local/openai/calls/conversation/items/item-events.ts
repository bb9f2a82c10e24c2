/**
 * The client events about items, `conversation.item.create`, `retrieve`, `truncate` and `delete`, and the events that report an
 * item. `conversation.item.created` is not among them: it belongs to the retired beta, and `added` and `done` replaced it.
 *
 * Codes and messages are those that clients of OpenAI have reported. Not reported, and so a guess: an unknown
 * `previous_item_id`, an id that is already taken, and an unknown content part.
 */

import { outOfRange, type Refusal } from '../../../api/errors.ts';
import { type AudioFormat, toBase64 } from '../../audio-formats.ts';
import { durationMs, samplesIn } from '../../voice.ts';
import type { ClientEvents } from '../client-events.ts';
import type { Send } from '../server-events.ts';
import { createdItem } from './created-item.ts';
import type { Item, Items, StoredItem } from './items.ts';

interface ItemEventsOptions {
  readonly items: Items;
  readonly send: Send;
  readonly formats: () => { readonly input: AudioFormat; readonly output: AudioFormat };
  /** The longest audio in a retrieved item, as base64 characters. Longer audio is left out. */
  readonly audioLimit: number;
}

export type ItemEvents = ReturnType<typeof createItemEvents>;

export function createItemEvents({ items, send, formats, audioLimit }: ItemEventsOptions) {
  function added(item: Item): void {
    send({ type: 'conversation.item.added', previous_item_id: items.previousOf(item.id), item });
  }

  function done(item: Item): void {
    send({ type: 'conversation.item.done', previous_item_id: items.previousOf(item.id), item });
  }

  /** Adds a complete item. @param after an existing id, or `root`. @default the end */
  function add(stored: StoredItem, after?: string): void {
    items.insert(stored, after);
    added(stored.item);
    done(stored.item);
  }

  /** Cuts the audio of an item, and removes its transcript, which nobody has heard to its end. */
  function cut({ item, audio, ...stored }: StoredItem, index: number, endMs: number): void {
    const samples = audio.get(index)?.subarray(0, samplesIn(endMs)) ?? new Int16Array();
    items.replace({ ...stored, item: withoutTranscript(item, index), audio: new Map([...audio, [index, samples]]) });
    send({ type: 'conversation.item.truncated', item_id: item.id, content_index: index, audio_end_ms: endMs });
  }

  function create(event: ClientEvents['conversation.item.create']): Refusal | undefined {
    const created = createdItem(event.item, 'item', formats().input);
    if ('refusal' in created) {
      return created.refusal;
    }
    const { stored } = created;
    // Clients send null and an empty text for "not set".
    const after = event.previous_item_id ? event.previous_item_id : undefined;
    const refusal = refusalOfPlace(stored.item, after);
    if (refusal === undefined) {
      add(stored, after);
    }
    return refusal;
  }

  function refusalOfPlace(item: Item, after: string | undefined): Refusal | undefined {
    if (items.find(item.id) !== undefined) {
      const message = `Error adding item: an item with id '${item.id}' already exists.`;
      return { message, param: 'item.id', code: 'item_create_duplicate_item_id' };
    }
    if (after !== undefined && after !== 'root' && items.find(after) === undefined) {
      return noSuchItem('adding', after, 'item_create_invalid_previous_item_id');
    }
    return item.type === 'function_call_output' ? refusalOfCallId(item.call_id) : undefined;
  }

  function refusalOfCallId(callId: string): Refusal | undefined {
    const isKnown = items.all().some(({ item }) => item.type === 'function_call' && item.call_id === callId);
    const message = `Tool call ID '${callId}' not found in conversation.`;
    return isKnown ? undefined : { message, code: 'invalid_tool_call_id' };
  }

  function retrieve({ item_id: id }: ClientEvents['conversation.item.retrieve']): Refusal | undefined {
    const stored = items.find(id);
    if (stored === undefined) {
      return noSuchItem('retrieving', id, 'item_retrieve_invalid_item_id');
    }
    const { input, output } = formats();
    const format = 'role' in stored.item && stored.item.role === 'assistant' ? output : input;
    send({ type: 'conversation.item.retrieved', item: withAudio(stored, format, audioLimit) });
    return undefined;
  }

  function truncate(event: ClientEvents['conversation.item.truncate']): Refusal | undefined {
    const { item_id: id, content_index: index, audio_end_ms: endMs } = event;
    const stored = items.find(id);
    if (stored === undefined) {
      return noSuchItem('truncating', id, 'item_truncate_invalid_item_id');
    }
    const samples = stored.audio.get(index);
    if (!('role' in stored.item) || stored.item.role !== 'assistant' || samples === undefined) {
      return { message: 'Only model output audio messages can be truncated', code: 'unsupported_content_type' };
    }
    const lengthMs = durationMs(samples);
    if (endMs > lengthMs) {
      const message = `Audio content of ${Math.floor(lengthMs)}ms is already shorter than ${endMs}ms`;
      return { message, code: 'invalid_value' };
    }
    const refusal = outOfRange('audio_end_ms', endMs, { least: 0, most: lengthMs }, 'integer');
    if (refusal === undefined) {
      cut(stored, index, endMs);
    }
    return refusal;
  }

  function remove({ item_id: id }: ClientEvents['conversation.item.delete']): Refusal | undefined {
    if (items.find(id) === undefined) {
      return noSuchItem('deleting', id, 'item_delete_invalid_item_id');
    }
    items.remove(id);
    send({ type: 'conversation.item.deleted', item_id: id });
    return undefined;
  }

  return { added, done, add, cut, create, retrieve, truncate, remove };
}

function noSuchItem(doing: string, id: string, code: string): Refusal {
  return { message: `Error ${doing} item: the item with id '${id}' does not exist.`, code };
}

function withoutTranscript(item: Item, index: number): Item {
  if (item.type !== 'message' || item.role !== 'assistant') {
    return item;
  }
  return { ...item, content: item.content.map((part, at) => (at === index ? { type: part.type ?? null } : part)) };
}

function withAudio({ item, audio }: StoredItem, format: AudioFormat, limit: number): Item {
  if (item.type !== 'message' || item.role === 'system') {
    return item;
  }
  const bytes = [...audio].map(([index, samples]) => [index, toBase64(samples, format)] as const);
  const fitting = new Map(bytes.filter(([, text]) => text.length <= limit));
  const part = <Part extends object>(content: Part, index: number) =>
    fitting.has(index) ? { ...content, audio: fitting.get(index) ?? null } : content;
  return item.role === 'user'
    ? { ...item, content: item.content.map(part) }
    : { ...item, content: item.content.map(part) };
}
