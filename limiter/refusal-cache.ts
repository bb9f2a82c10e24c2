/**
 * A cache of refusals in one process, so that a client that keeps retrying costs nothing. A refusal is cached for two seconds, but
 * never past its `retryAt`, and is returned without a request to DynamoDB. Admissions are never cached.
 */
import type { Refusal } from './policy/decision.ts';

/** How long a refusal is cached. A limit that was raised or released takes effect within this time. */
const TIME_TO_LIVE_MS = 2_000;
/** Bounds the memory in an attack from many addresses, to about 6 MB. The oldest entry is removed first. */
const MOST_ENTRIES = 10_000;

export interface RefusalCache {
  /** The cached refusal for this key, if it is still valid. */
  readonly find: (key: string, now: number) => Refusal | undefined;
  readonly remember: (key: string, refusal: Refusal, now: number) => void;
  readonly size: () => number;
}

export function createRefusalCache(mostEntries = MOST_ENTRIES): RefusalCache {
  const entries = new Map<string, { readonly refusal: Refusal; readonly cachedAt: number }>();

  return {
    find(key, now) {
      const entry = entries.get(key);
      if (entry === undefined) {
        return;
      }
      const age = now - entry.cachedAt;
      // A negative age means that the clock was set back, so the entry cannot be trusted.
      if (age >= 0 && age < TIME_TO_LIVE_MS && now < entry.refusal.retryAt) {
        return entry.refusal;
      }
      entries.delete(key);
      return;
    },

    remember(key, refusal, now) {
      entries.delete(key);
      entries.set(key, { refusal, cachedAt: now });
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
