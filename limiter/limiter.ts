/**
 * Several limits as one: they are reserved one after the other, and either all of them hold or none does. Scopes are
 * asked in the order given - each subject's own limits first, so that a refused subject never touches the shared
 * counter - and within a scope in the order of its policies (see `parsePolicies`).
 */

import { reserveUnder } from './algorithms/algorithms.ts';
import type { LimitState, Refusal, Reservation, Scope } from './policy/decision.ts';
import { createRefusalCache } from './refusal-cache.ts';
import { StoreUnavailableError, type Table } from './store/store.ts';

export interface Admission {
  readonly admitted: true;
  /** The limit nearest to refusing: fewest remaining, on a tie the later reset. */
  readonly nearest: LimitState;
  /**
   * Gives every place back: nothing was handed out. Repeating it changes nothing.
   * @returns the limit nearest to refusing then
   * @throws StoreUnavailableError or StoreMisconfiguredError if a place could not be given back: its count stands
   */
  readonly release: () => Promise<LimitState>;
}

export interface Rejection extends Refusal {
  readonly admitted: false;
  /** Known from less than two seconds ago; DynamoDB was not asked. */
  readonly cached: boolean;
}

export interface LimiterOptions {
  readonly table: Table;
  /** In the order in which they are asked. */
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

export interface Limiter {
  /** A refusal that is still believed, without any request. */
  readonly knownRefusal: (subject: string) => Rejection | undefined;
  /**
   * Takes a place under every limit, or under none.
   * @param until epoch milliseconds after which no further limit is asked: with a slow DynamoDB, whoever waits for the
   *   answer should hear one. @default for ever
   * @throws StoreUnavailableError or StoreMisconfiguredError; what had been reserved is given back first
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
            throw new StoreUnavailableError('DynamoDB is too slow for all limits to be asked in time.');
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
        // The error that stopped it is the one to hear of; a place that can't be given back stays counted.
        await releaseAll(reserved, now()).catch(() => undefined);
        throw error;
      }
      const nearest = nearestToRefusing(reserved.map(({ state }) => state));
      return {
        admitted: true,
        nearest,
        release: async () => nearestToRefusing(await releaseAll(reserved, now())),
      };
    },
  };
}

/** Tries every one, then reports the first that failed. */
async function releaseAll(reservations: readonly Reservation[], now: number): Promise<LimitState[]> {
  const releases = reservations.map(({ release }) => release(now));
  await Promise.allSettled(releases);
  return await Promise.all(releases);
}

function nearestToRefusing(states: readonly LimitState[]): LimitState {
  const [nearest] = states.toSorted((a, b) => a.remaining - b.remaining || b.resetAt - a.resetAt);
  if (nearest === undefined) {
    throw new TypeError('A limiter needs at least one policy.');
  }
  return nearest;
}

function cacheKey(scope: Scope, subject: string): string {
  return scope.counts === 'each' ? `${scope.name}#${subject}` : scope.name;
}
