/**
 * `LIMITER_FAILURE_MODE=open`: what a container may do while DynamoDB is unavailable. It admits a few visitors with its own token
 * bucket, if it has read the kill switch within the last five minutes. Every request tries DynamoDB first, so this ends as soon
 * as DynamoDB responds. A container only knows the blocks that it has read itself.
 */
import { type Clock, createTokenBuckets, type TokenDecision } from '../../resilience/index.ts';
import type { ViewerId } from '../visitor/viewer.ts';
import type { Block } from './block.ts';
import type { Switch } from './kill-switch.ts';

/** For all visitors of a container together: three at once, then one per minute. */
const RATE = { perSecond: 1 / 60, burst: 3 };
const SWITCH_MAX_AGE_MS = 5 * 60_000;
/** Far more blocks than an operator sets. */
const MOST_BLOCKS = 1_000;

export interface FailOpen {
  /** Must be called each time the switch was read. */
  readonly remember: (killSwitch: Switch) => void;
  /** Must be called each time a visitor's block, or its absence, was read. */
  readonly rememberBlock: (viewer: ViewerId, block: Block | undefined) => void;
  /** The switch as last read, or undefined if it was never read or too long ago. */
  readonly lastSwitch: () => Switch | undefined;
  /** The last block that this container read for the visitor, if it has not ended. */
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
      return age >= 0 && age <= SWITCH_MAX_AGE_MS ? last?.killSwitch : undefined;
    },
    lastBlock(viewer) {
      const block = blocks.get(viewer);
      return block !== undefined && clock.now() < block.until ? block : undefined;
    },
    admit: () => buckets.take('everybody'),
  };
}
