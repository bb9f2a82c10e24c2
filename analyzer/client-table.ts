/**
 * Numbers for clients, by the bytes of their names: a name is made a string once, not once per event. Holds so many
 * names and then starts anew, so that its memory is bounded however many clients a log has.
 */
import { Buffer } from 'node:buffer';

const MOST_NAMES = 1 << 16;
const MOST_BYTES = 1 << 22;
/** A piece of a log may bring another 2^17 names before the table can start anew: 1 MB, and 8 bytes for the shortest line. */
const SLOTS = 1 << 18;

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

export function createClientTable(): ClientTable {
  const slots = new Int32Array(SLOTS);
  let hashes = new Int32Array(1024);
  let starts = new Int32Array(1025);
  let store = new Uint8Array(1 << 14);
  let count = 0;
  let taken = 0;

  function isAt(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = starts[number] ?? 0;
    if ((starts[number + 1] ?? 0) - start !== to - from) {
      return false;
    }
    for (let at = from, stored = start; at < to; at += 1, stored += 1) {
      if (bytes[at] !== store[stored]) {
        return false;
      }
    }
    return true;
  }

  function add(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const start = starts[count] ?? 0;
    const end = start + to - from;
    if (end > store.length) {
      store = grown(store, new Uint8Array(Math.max(end, store.length * 2)));
    }
    if (count === hashes.length) {
      hashes = grown(hashes, new Int32Array(count * 2));
      starts = grown(starts, new Int32Array(count * 2 + 1));
    }
    store.set(bytes.subarray(from, to), start);
    hashes[count] = hash;
    starts[count + 1] = end;
    count += 1;
    return count - 1;
  }

  return {
    numberOf(bytes, from, to, hash) {
      let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
      for (;;) {
        const number = (slots[slot] ?? 0) - 1;
        if (number < 0) {
          const added = add(bytes, from, to, hash);
          slots[slot] = added + 1;
          return added;
        }
        if (hashes[number] === hash && isAt(number, bytes, from, to)) {
          return number;
        }
        slot = (slot + 1) & (SLOTS - 1);
      }
    },
    takeNames() {
      const names: string[] = [];
      const bytes = Buffer.from(store.buffer, store.byteOffset, store.byteLength);
      for (; taken < count; taken += 1) {
        names.push(bytes.toString('utf8', starts[taken] ?? 0, starts[taken + 1] ?? 0));
      }
      return names;
    },
    resetIfFull() {
      if (count <= MOST_NAMES && (starts[count] ?? 0) <= MOST_BYTES) {
        return false;
      }
      slots.fill(0);
      count = 0;
      taken = 0;
      return true;
    },
  };
}

function grown<Column extends Uint8Array | Int32Array>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}
