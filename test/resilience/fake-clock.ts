/** A clock that moves only when a test moves it. It reports which timers have fired, and how many are still running. */

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../resilience/index.ts';

export interface FakeClock extends Clock {
  /** Moves the clock. Timers that become due fire in order at their time, and code that waits for them runs in between. */
  readonly advance: (ms: number) => Promise<void>;
  /** Moves the clock from timer to timer until `work` settles. While `busy` returns true, for example for a socket, it does not move. */
  readonly run: <T>(work: Promise<T>, busy?: () => boolean) => Promise<T>;
  /** The delay of each timer that has fired, in milliseconds. */
  readonly fired: readonly number[];
  /** The number of timers that are still running. */
  readonly running: () => number;
}

interface Timer {
  readonly ms: number;
  readonly due: number;
  readonly run: () => void;
}

export function createFakeClock(start = 0): FakeClock {
  let now = start;
  const timers = new Set<Timer>();
  const fired: number[] = [];

  function next(): Timer | undefined {
    return [...timers].sort((one, other) => one.due - other.due)[0];
  }

  async function fire(timer: Timer) {
    timers.delete(timer);
    now = Math.max(now, timer.due);
    fired.push(timer.ms);
    timer.run();
    await setImmediate();
  }

  return {
    now: () => now,
    after: (ms, run) => {
      const timer = { ms, due: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    fired,
    running: () => timers.size,
    advance: async (ms) => {
      const end = now + ms;
      await setImmediate();
      for (let timer = next(); timer !== undefined && timer.due <= end; timer = next()) {
        await fire(timer);
      }
      now = end;
    },
    run: async (work, busy = () => false) => {
      let settled = false;
      const settle = () => {
        settled = true;
      };
      work.then(settle, settle);
      for (;;) {
        await setImmediate();
        const timer = next();
        if (settled) {
          return work;
        }
        if (timer !== undefined && !busy()) {
          await fire(timer);
        }
      }
    },
  };
}
