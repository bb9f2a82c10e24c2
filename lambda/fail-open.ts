/**
 * `LIMITER_FAILURE_MODE=open`: what a container may do while DynamoDB does not answer. It admits a few visitors by a bucket
 * of its own, if it knows from the last five minutes that the kill switch was on or off. It ends with the first answer
 * of DynamoDB, since every request asks there first. A block cannot be known then.
 */
import { type Clock, createTokenBuckets, type TokenDecision } from '../resilience/index.ts';
import type { Switch } from './kill-switch.ts';

/** For everybody together, per container: three at once, and one a minute. */
const RATE = { perSecond: 1 / 60, burst: 3 };
const SWITCH_BELIEVED_MS = 5 * 60_000;

export interface FailOpen {
  /** To be told every time the switch was read. */
  readonly remember: (killSwitch: Switch) => void;
  /** The switch as it was read last, or undefined if that was never, or too long ago. */
  readonly lastSwitch: () => Switch | undefined;
  readonly admit: () => TokenDecision;
}

export function createFailOpen(clock: Clock): FailOpen {
  const buckets = createTokenBuckets({ ...RATE, clock });
  let last: { readonly killSwitch: Switch; readonly at: number } | undefined;

  return {
    remember(killSwitch) {
      last = { killSwitch, at: clock.now() };
    },
    lastSwitch() {
      const age = last === undefined ? Number.POSITIVE_INFINITY : clock.now() - last.at;
      return age >= 0 && age <= SWITCH_BELIEVED_MS ? last?.killSwitch : undefined;
    },
    admit: () => buckets.take('everybody'),
  };
}
