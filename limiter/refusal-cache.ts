/**
 * What a process remembers of refusals, so that a client that hammers costs nothing: for two seconds, and never past the
 * reopening, a known refusal is repeated without asking DynamoDB. Only a no is remembered; a yes always asks.
 */
import type { Refusal } from './policy/decision.ts';

/** How long a refusal is believed. A limit that was raised or released is noticed within this time. */
const BELIEVED_MS = 2_000;
/** Bounds memory under an attack from many addresses: some 6 MB. The oldest entry makes room. */
const MOST_ENTRIES = 10_000;

export interface RefusalCache {
  /** The refusal that still stands for this key, if one does. */
  readonly find: (key: string, now: number) => Refusal | undefined;
  readonly remember: (key: string, refusal: Refusal, now: number) => void;
  readonly size: () => number;
}

export function createRefusalCache(mostEntries = MOST_ENTRIES): RefusalCache {
  const entries = new Map<string, { readonly refusal: Refusal; readonly learnedAt: number }>();

  return {
    find(key, now) {
      const entry = entries.get(key);
      if (entry === undefined) {
        return;
      }
      const age = now - entry.learnedAt;
      // A negative age is a clock that was set back: what was learned then says nothing about now.
      if (age >= 0 && age < BELIEVED_MS && now < entry.refusal.retryAt) {
        return entry.refusal;
      }
      entries.delete(key);
      return;
    },

    remember(key, refusal, now) {
      entries.delete(key);
      entries.set(key, { refusal, learnedAt: now });
      if (entries.size > mostEntries) {
        const oldest = entries.keys().next();
        if (!oldest.done) {
          entries.delete(oldest.value);
        }
      }
    },

    size: () => entries.size,
  };
}
