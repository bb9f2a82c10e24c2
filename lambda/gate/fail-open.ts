/**
 * `LIMITER_FAILURE_MODE=open`: what a container may do while DynamoDB does not answer. It admits a few visitors by a bucket
 * of its own, if it knows from the last five minutes that the kill switch was on or off. It ends with the first answer
 * of DynamoDB, since every request asks there first. Of blocks it knows those that it has met.
 */
import { type Clock, createTokenBuckets, type TokenDecision } from '../../resilience/index.ts';
import type { ViewerId } from '../visitor/viewer.ts';
import type { Block } from './block.ts';
import type { Switch } from './kill-switch.ts';

/** For everybody together, per container: three at once, and one a minute. */
const RATE = { perSecond: 1 / 60, burst: 3 };
const SWITCH_BELIEVED_MS = 5 * 60_000;
/** Far more than operators block. */
const MOST_BLOCKS = 1_000;

export interface FailOpen {
  /** To be told every time the switch was read. */
  readonly remember: (killSwitch: Switch) => void;
  /** To be told every time a visitor's block, or its absence, was read. */
  readonly rememberBlock: (viewer: ViewerId, block: Block | undefined) => void;
  /** The switch as it was read last, or undefined if that was never, or too long ago. */
  readonly lastSwitch: () => Switch | undefined;
  /** The block that was read last for this visitor, until it ends. Undefined too where it was not read here. */
  readonly lastBlock: (viewer: ViewerId) => Block | undefined;
  readonly admit: () => TokenDecision;
}

export function createFailOpen(clock: Clock): FailOpen {
  const buckets = createTokenBuckets({ ...RATE, clock });
  const blocks = new Map<ViewerId, Block>();
  let last: { readonly killSwitch: Switch; readonly at: number } | undefined;

  return {
    remember(killSwitch) {
      last = { killSwitch, at: clock.now() };
    },
    rememberBlock(viewer, block) {
      if (block === undefined) {
        blocks.delete(viewer);
      } else if (blocks.has(viewer) || blocks.size < MOST_BLOCKS) {
        blocks.set(viewer, block);
      }
    },
    lastSwitch() {
      const age = last === undefined ? Number.POSITIVE_INFINITY : clock.now() - last.at;
      return age >= 0 && age <= SWITCH_BELIEVED_MS ? last?.killSwitch : undefined;
    },
    lastBlock(viewer) {
      const block = blocks.get(viewer);
      return block !== undefined && clock.now() < block.until ? block : undefined;
    },
    admit: () => buckets.take('everybody'),
  };
}
