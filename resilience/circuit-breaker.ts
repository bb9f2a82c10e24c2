/**
 * Stops calling what keeps failing, and finds out with one call at a time whether it is well again. While it is open,
 * callers are refused at once and told when to come back; nobody is queued. It sets no timer: time is looked at when
 * somebody calls.
 */

import { checkAboveZero } from './check-above-zero.ts';
import { type Classification, classify } from './classify.ts';
import { type Clock, systemClock } from './clock.ts';
import { okOrThrow } from './http-error.ts';

/** Times are in milliseconds since the Unix epoch. */
export type CircuitState =
  /** Calls pass. `failures` counts those in a row. */
  | { readonly kind: 'closed'; readonly failures: number }
  /** No call passes until `retryAt`. The first one after it is the probe. */
  | { readonly kind: 'open'; readonly retryAt: number }
  /** The probe is out. A probe that has not come back by `probeUntil` is lost, and the next call takes its place. */
  | { readonly kind: 'half-open'; readonly probeUntil: number };

export interface CircuitBreakerOptions {
  /**
   * So many failures in a row open it.
   * @default 5
   */
  readonly failureThreshold?: number;
  /**
   * How long it stays open before a probe.
   * @default 10_000
   */
  readonly cooldownMs?: number;
  /**
   * How long a probe keeps the others out; longer than a call may take, or a second probe joins the first.
   * @default 30_000
   */
  readonly probeTimeoutMs?: number;
  readonly onChange?: (state: CircuitState, previous: CircuitState) => void;
  readonly clock?: Clock;
}

export interface CircuitBreaker {
  /**
   * Makes the call, if it may pass, and learns from how it ends (see `classify`). A Response with a status of 400 or
   * more counts as thrown.
   * @throws CircuitOpenError without having called; otherwise whatever the call throws
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
  /** Counts the changes of state, so that a call can tell whether the state that let it pass still stands. */
  let era = 0;

  function change(next: CircuitState) {
    const previous = state;
    state = next;
    era += 1;
    onChange?.(next, previous);
  }

  /** Lets a call pass, and returns what is to be learnt from how it ends. */
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
      // A probe that was called off proves nothing either way: the next call is the probe.
      change({ kind: 'open', retryAt: clock.now() + (health === 'failing' ? cooldownMs : 0) });
    }
  }

  return {
    state: () => state,
    call: async (run) => {
      const learn = admit();
      const admittedIn = era;
      // Calls that were out when the circuit opened may come back after it has closed again, as a crowd of timeouts.
      // They speak of the past.
      const learnIfCurrent = (health: Health) => admittedIn === era && learn(health);
      try {
        const value = await okOrThrow(await run());
        learnIfCurrent('alive');
        return value;
      } catch (error) {
        learnIfCurrent(classify(error).health);
        throw error;
      }
    },
  };
}
