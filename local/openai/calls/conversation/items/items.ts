/** The items of a conversation, in order. */

import type { ConversationItem } from 'openai/resources/realtime/realtime.js';
import type { Wire } from '../server-events.ts';

/** As events show it: without the bytes of its audio. */
export type Item = Wire<ConversationItem> & { readonly id: string };

export interface StoredItem {
  readonly item: Item;
  /** By the index of the content part; at the rate of audio/pcm. */
  readonly audio: ReadonlyMap<number, Int16Array>;
  /** For what the caller said into the microphone: which beep it was, and how it sounded, without the silence before it. */
  readonly beep?: { readonly number: number; readonly samples: Int16Array };
}

export const NO_AUDIO: ReadonlyMap<number, Int16Array> = new Map();

export type Items = ReturnType<typeof createItems>;

export function createItems() {
  let list: readonly StoredItem[] = [];

  function placeOf(id: string): number {
    return list.findIndex(({ item }) => item.id === id);
  }

  function find(id: string): StoredItem | undefined {
    return list.find(({ item }) => item.id === id);
  }

  return {
    all: () => list,
    find,
    /** Null for the first item. */
    previousOf: (id: string): string | null => list[placeOf(id) - 1]?.item.id ?? null,
    lastId: (): string | null => list.at(-1)?.item.id ?? null,
    /** @param after an existing id, or `root` for the beginning. @default the end */
    insert(stored: StoredItem, after?: string): void {
      const end = after === undefined ? list.length : placeOf(after) + 1;
      list = list.toSpliced(after === 'root' ? 0 : end, 0, stored);
    },
    /** Changes the item with the same id. If it has been deleted in the meantime, it stays deleted. */
    replace(stored: StoredItem): void {
      list = list.map((old) => (old.item.id === stored.item.id ? stored : old));
    },
    remove(id: string): void {
      list = list.filter(({ item }) => item.id !== id);
    },
  };
}
