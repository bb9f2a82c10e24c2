/**
 * Combines several limits. They are reserved one after the other, and either all of them are reserved or none is. Scopes are
 * checked in the given order, and within a scope its policies in their order (see `parsePolicies`). Put each subject's own limits
 * first, so that a refused subject never changes the shared counter.
 */

import { reserveUnder } from './algorithms/algorithms.ts';
import type { LimitState, Refusal, Reservation, Scope } from './policy/decision.ts';
import { createRefusalCache } from './refusal-cache.ts';
import { StoreUnavailableError, type Table } from './store/store.ts';

export interface Admission {
  readonly admitted: true;
  /** The limit with the fewest remaining admissions; on a tie, the one with the later reset. */
  readonly nearest: LimitState;
  /**
   * Releases the reservation of every limit, so that the call does not count. Idempotent.
   * @returns the limit with the fewest remaining admissions after the release
   * @throws StoreUnavailableError or StoreMisconfiguredError if a reservation could not be released: it stays counted
   */
  readonly release: () => Promise<LimitState>;
}

export interface Rejection extends Refusal {
  readonly admitted: false;
  /** Whether the refusal comes from the cache, where it is kept for less than two seconds. */
  readonly cached: boolean;
}

export interface LimiterOptions {
  readonly table: Table;
  /** In the order in which they are checked. */
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

export interface Limiter {
  /** The cached refusal for the subject, if any. Sends no request. */
  readonly knownRefusal: (subject: string) => Rejection | undefined;
  /**
   * Reserves a call under every limit, or under none.
   * @param until epoch milliseconds after which no further limit is checked, so that the caller gets an answer in time if
   *   DynamoDB is slow. @default no time limit
   * @throws StoreUnavailableError or StoreMisconfiguredError, after trying to release all reservations; one that cannot be
   *   released stays counted
   */
  readonly reserve: (subject: string, until?: number) => Promise<Admission | Rejection>;
}

export function createLimiter({ table, scopes, now = Date.now }: LimiterOptions): Limiter {
  const refusals = createRefusalCache();
  const limits = scopes.flatMap((scope) => scope.policies.map((policy) => ({ scope, policy })));

  return {
    knownRefusal(subject) {
      const at = now();
      for (const scope of scopes) {
        const refusal = refusals.find(cacheKey(scope, subject), at);
        if (refusal !== undefined) {
          return { admitted: false, cached: true, ...refusal };
        }
      }
      return;
    },

    async reserve(subject, until = Number.POSITIVE_INFINITY) {
      const reserved: Reservation[] = [];
      try {
        for (const { scope, policy } of limits) {
          if (now() > until) {
            throw new StoreUnavailableError('DynamoDB is too slow for all limits to be checked in time.');
          }
          const decision = await reserveUnder(table, scope, policy, subject, now());
          if (!decision.admitted) {
            const refusal: Refusal = { state: decision.state, retryAt: decision.retryAt };
            refusals.remember(cacheKey(scope, subject), refusal, now());
            await releaseAll(reserved, now());
            return { admitted: false, cached: false, ...refusal };
          }
          reserved.push(decision);
        }
      } catch (error) {
        // Throw the original error. A reservation that cannot be released stays counted.
        await releaseAll(reserved, now()).catch(() => undefined);
        throw error;
      }
      const nearest = fewestRemaining(reserved.map(({ state }) => state));
      return {
        admitted: true,
        nearest,
        release: async () => fewestRemaining(await releaseAll(reserved, now())),
      };
    },
  };
}

/** Releases all of them, then throws the first error, if any. */
async function releaseAll(reservations: readonly Reservation[], now: number): Promise<LimitState[]> {
  const releases = reservations.map(({ release }) => release(now));
  await Promise.allSettled(releases);
  return await Promise.all(releases);
}

function fewestRemaining(states: readonly LimitState[]): LimitState {
  const [nearest] = states.toSorted((a, b) => a.remaining - b.remaining || b.resetAt - a.resetAt);
  if (nearest === undefined) {
    throw new TypeError('A limiter needs at least one policy.');
  }
  return nearest;
}

function cacheKey(scope: Scope, subject: string): string {
  return scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
}
