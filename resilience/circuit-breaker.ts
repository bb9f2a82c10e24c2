/**
 * Circuit breaker: stops calls to a system that keeps failing, and uses one call at a time as a probe to detect when it has
 * recovered. While the circuit is open, calls are refused immediately with the time of the next probe; they are not queued. It sets
 * no timers: it reads the clock when it is called.
 */

import { checkAboveZero } from './check-above-zero.ts';
import { type Classification, classify } from './classify.ts';
import { type Clock, systemClock } from './clock.ts';
import { okOrThrow } from './http-error.ts';

/** Times are in milliseconds since the Unix epoch. */
export type CircuitState =
  /** Calls pass. `failures` is the number of consecutive failures. */
  | { readonly kind: 'closed'; readonly failures: number }
  /** No call passes until `retryAt`. The first call after that time is the probe. */
  | { readonly kind: 'open'; readonly retryAt: number }
  /** The probe is in progress. If it has not ended by `probeUntil`, the next call becomes the probe. */
  | { readonly kind: 'half-open'; readonly probeUntil: number };

export interface CircuitBreakerOptions {
  /**
   * The number of consecutive failures that opens the circuit.
   * @default 5
   */
  readonly failureThreshold?: number;
  /**
   * How long the circuit stays open before a probe, in milliseconds.
   * @default 10_000
   */
  readonly cooldownMs?: number;
  /**
   * How long a probe blocks other calls, in milliseconds. Set it longer than a call can take; otherwise a second probe may start
   * during the first.
   * @default 30_000
   */
  readonly probeTimeoutMs?: number;
  readonly onChange?: (state: CircuitState, previous: CircuitState) => void;
  readonly clock?: Clock;
}

export interface CircuitBreaker {
  /**
   * Runs the call if the circuit allows it, and records its outcome (see `classify`). A Response with a status of 400 or more
   * counts as an error.
   * @throws CircuitOpenError if the call was not run; otherwise what the call throws
   */
  readonly call: <T>(run: () => T | Promise<T>) => Promise<T>;
  readonly state: () => CircuitState;
}

export class CircuitOpenError extends Error {
  override readonly name = 'CircuitOpenError';
  /** When the next probe may pass, in milliseconds since the Unix epoch. */
  declare readonly retryAt: number;

  constructor(retryAt: number) {
    super('The circuit is open');
    this.retryAt = retryAt;
  }
}

type Health = Classification['health'];

/** @throws RangeError if `failureThreshold` is not above 0 */
export function createCircuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreaker {
  const { failureThreshold = 5, cooldownMs = 10_000, probeTimeoutMs = 30_000, onChange, clock = systemClock } = options;
  checkAboveZero('failureThreshold', failureThreshold);
  let state: CircuitState = { kind: 'closed', failures: 0 };
  /** Counts the changes of state, so that an outcome can be ignored if the state has changed since the call started. */
  let era = 0;

  function change(next: CircuitState) {
    const previous = state;
    state = next;
    era += 1;
    onChange?.(next, previous);
  }

  /** Allows a call, and returns the function that records its outcome. @throws CircuitOpenError */
  function admit(): (health: Health) => void {
    if (state.kind === 'closed') {
      return afterCall;
    }
    const now = clock.now();
    const retryAt = state.kind === 'open' ? state.retryAt : state.probeUntil;
    if (now < retryAt) {
      throw new CircuitOpenError(retryAt);
    }
    change({ kind: 'half-open', probeUntil: now + probeTimeoutMs });
    return afterProbe;
  }

  function afterCall(health: Health) {
    if (state.kind === 'closed' && health !== 'unknown') {
      const failures = health === 'alive' ? 0 : state.failures + 1;
      if (failures < failureThreshold) {
        state = { kind: 'closed', failures };
      } else {
        change({ kind: 'open', retryAt: clock.now() + cooldownMs });
      }
    }
  }

  function afterProbe(health: Health) {
    if (health === 'alive') {
      change({ kind: 'closed', failures: 0 });
    } else {
      // An aborted probe proves nothing, so the next call becomes the probe.
      change({ kind: 'open', retryAt: clock.now() + (health === 'failing' ? cooldownMs : 0) });
    }
  }

  return {
    state: () => state,
    call: async (run) => {
      const record = admit();
      const admittedIn = era;
      // Calls that were in progress when the circuit opened may end after it has closed again, for example as many timeouts.
      // Their outcomes are out of date and must not open it again.
      const recordIfCurrent = (health: Health) => admittedIn === era && record(health);
      try {
        const value = await okOrThrow(await run());
        recordIfCurrent('alive');
        return value;
      } catch (error) {
        recordIfCurrent(classify(error).health);
        throw error;
      }
    },
  };
}
