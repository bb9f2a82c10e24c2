/**
 * Assigns a number to each client by the bytes of its name, so that a name is decoded to a string once and not for each
 * event. When the table is full, it is reset: its memory is bounded however many clients a log has.
 */
import { Buffer } from 'node:buffer';

const MOST_NAMES = 1 << 18;
const MOST_BYTES = 1 << 23;

/** The longest allowed name of a client, in bytes. An IP address has at most 45. */
export const LONGEST_NAME = 256;

export interface ClientTable {
  /**
   * Numbers start at 0 and follow the order of first appearance since the last reset.
   * @param hash as {@link hashOf} computes it
   */
  readonly numberOf: (bytes: Uint8Array, from: number, to: number, hash: number) => number;
  /** @returns the names that got numbers since the last call, in the order of their numbers */
  readonly takeNames: () => string[];
  /** Call it only while no number is in use. @returns whether the table was full and has been reset */
  readonly resetIfFull: () => boolean;
}

export const HASH_SEED = 0x811c9dc5 | 0;

/** FNV-1a for one byte, so that a scanner can compute the hash while it reads the name. */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

export function hashOf(bytes: Uint8Array): number {
  return bytes.reduce(hashByte, HASH_SEED);
}

/** Positions within an entry. An entry's fields are adjacent, so that they are on one cache line. */
const HASH = 0;
const START = 1;
const LENGTH = 2;
const NUMBER_PLUS_1 = 3;
const ENTRY = 4;

export function createClientTable(): ClientTable {
  /** Size of the hash table: a power of two, and at most half of the slots are used. */
  let slots = 1 << 11;
  let entries = new Int32Array(slots * ENTRY);
  let store = new Uint8Array(1 << 14);
  let stored = 0;
  let count = 0;
  /** Where the names start that `takeNames` has not returned yet. */
  let newStarts: number[] = [];

  /** @returns the name's entry, or the empty entry where it belongs */
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
      grow();
    }
  }

  /** Doubles the number of slots. */
  function grow(): void {
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
