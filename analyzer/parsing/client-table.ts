/**
 * Numbers for clients, by the bytes of their names: a name is made a string once, not once per event. Holds so many
 * names and then starts anew, so that its memory is bounded however many clients a log has.
 */
import { Buffer } from 'node:buffer';

const MOST_NAMES = 1 << 18;
const MOST_BYTES = 1 << 23;

/** The longest name of a client, in bytes; an address has 45 at most. */
export const LONGEST_NAME = 256;

export interface ClientTable {
  /**
   * The bytes' number: from 0 up in order of first appearance since the last reset.
   * @param hash of {@link hashOf}
   */
  readonly numberOf: (bytes: Uint8Array, from: number, to: number, hash: number) => number;
  /** Names that were given numbers since the last call, in the numbers' order. */
  readonly takeNames: () => string[];
  /** To be asked where no number is in use: whether it forgot everything, because it holds too much. */
  readonly resetIfFull: () => boolean;
}

export const HASH_SEED = 0x811c9dc5 | 0;

/** FNV-1a, a byte at a time: whoever scans a name anyway hashes it on the way. */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

export function hashOf(bytes: Uint8Array): number {
  return bytes.reduce(hashByte, HASH_SEED);
}

/** What belongs together is read together: one line of the cache for an entry. */
const HASH = 0;
const START = 1;
const LENGTH = 2;
const NUMBER_PLUS_1 = 3;
const ENTRY = 4;

export function createClientTable(): ClientTable {
  /** A power of two, at most half full. */
  let slots = 1 << 11;
  let entries = new Int32Array(slots * ENTRY);
  let store = new Uint8Array(1 << 14);
  let stored = 0;
  let count = 0;
  /** Where names begin that nobody took yet. */
  let newStarts: number[] = [];

  /** @returns the entry of this name, or the empty one that is its place */
  function find(bytes: Uint8Array, from: number, length: number, hash: number): number {
    let slot = slotOf(hash);
    for (;;) {
      const entry = slot * ENTRY;
      if (entries[entry + NUMBER_PLUS_1] === 0) {
        return entry;
      }
      if (entries[entry + HASH] === hash && entries[entry + LENGTH] === length && isAt(entry, bytes, from, length)) {
        return entry;
      }
      slot = (slot + 1) & (slots - 1);
    }
  }

  function slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (slots - 1);
  }

  function isAt(entry: number, bytes: Uint8Array, from: number, length: number): boolean {
    const start = entries[entry + START] ?? 0;
    for (let index = 0; index < length; index += 1) {
      if (bytes[from + index] !== store[start + index]) {
        return false;
      }
    }
    return true;
  }

  function add(entry: number, bytes: Uint8Array, from: number, length: number, hash: number): void {
    if (stored + length > store.length) {
      const larger = new Uint8Array(Math.max(stored + length, store.length * 2));
      larger.set(store);
      store = larger;
    }
    store.set(bytes.subarray(from, from + length), stored);
    newStarts.push(stored);
    count += 1;
    entries.set([hash, stored, length, count], entry);
    stored += length;
    if (count * 2 > slots) {
      spread();
    }
  }

  /** Into twice the room. */
  function spread(): void {
    const old = entries;
    slots *= 2;
    entries = new Int32Array(slots * ENTRY);
    for (let entry = 0; entry < old.length; entry += ENTRY) {
      if (old[entry + NUMBER_PLUS_1] !== 0) {
        let slot = slotOf(old[entry + HASH] ?? 0);
        while (entries[slot * ENTRY + NUMBER_PLUS_1] !== 0) {
          slot = (slot + 1) & (slots - 1);
        }
        entries.set(old.subarray(entry, entry + ENTRY), slot * ENTRY);
      }
    }
  }

  return {
    numberOf(bytes, from, to, hash) {
      const entry = find(bytes, from, to - from, hash);
      const number = (entries[entry + NUMBER_PLUS_1] ?? 0) - 1;
      if (number >= 0) {
        return number;
      }
      add(entry, bytes, from, to - from, hash);
      return count - 1;
    },
    takeNames() {
      const bytes = Buffer.from(store.buffer, store.byteOffset, store.byteLength);
      const names = newStarts.map((start, index) => bytes.toString('utf8', start, newStarts[index + 1] ?? stored));
      newStarts = [];
      return names;
    },
    resetIfFull() {
      if (count <= MOST_NAMES && stored <= MOST_BYTES) {
        return false;
      }
      entries.fill(0);
      stored = 0;
      count = 0;
      return true;
    },
  };
}
