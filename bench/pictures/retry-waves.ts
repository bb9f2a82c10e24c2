/**
 * Shows the effect of jitter: 500 callers are rate limited at the same moment and retry, with up to five attempts in
 * total, at a limiter that admits 100 requests per second. Uses virtual time, and the library's own backoff, limiter
 * and defaults. `npx node bench/pictures/retry-waves.ts` draws docs/retry-waves.svg.
 */

import { writeFileSync } from 'node:fs';
import { backoffWindow, fullJitter, takeToken } from '../../resilience/index.ts';
import { seeded } from '../harness/seeded.ts';
import { barChart } from './svg-chart.ts';

export const CALLERS = 500;
const ATTEMPTS = 5;
const LIMIT = { perSecond: 100, burst: 10 };
const BAR_MS = 100;
/** When callers without jitter retry for the second time: after windows of 500 and 1,000 ms. */
export const SECOND_WAVE_MS = 1_500;

/** Milliseconds to wait before each retry; retries are counted from 0. */
export const STRATEGIES = {
  none: (retry: number) => backoffWindow(retry),
  equal: (retry: number, random: number) => backoffWindow(retry) / 2 + fullJitter(retry, random) / 2,
  full: (retry: number, random: number) => fullJitter(retry, random),
  wide: (retry: number, random: number) => fullJitter(retry, random, { firstWindowMs: 5_000 }),
} as const;

export type Strategy = keyof typeof STRATEGIES;

/** @returns number of retries that reach the server in each 100 ms after the moment when all callers were rate limited */
export function simulate(strategy: Strategy, random: () => number): readonly number[] {
  const wait = STRATEGIES[strategy];
  const bars: number[] = [];
  const callers = Array.from({ length: CALLERS }, () => ({ at: wait(0, random()), retries: 1 }));
  callers.sort((one, other) => one.at - other.at);
  // The bucket is empty at the start, because the callers have just been rate limited.
  let fullAt = (LIMIT.burst / LIMIT.perSecond) * 1_000;

  for (let next = callers.shift(); next !== undefined; next = callers.shift()) {
    const { at, retries } = next;
    const bar = Math.floor(at / BAR_MS);
    bars[bar] = (bars[bar] ?? 0) + 1;
    const decision = takeToken(fullAt, LIMIT, at);
    if (decision.allowed) {
      fullAt = decision.fullAt;
    } else if (retries < ATTEMPTS - 1) {
      const retry = { at: at + wait(retries, random()), retries: retries + 1 };
      callers.splice(callers.findLastIndex((caller) => caller.at <= retry.at) + 1, 0, retry);
    }
  }
  return Array.from(bars, (count) => count ?? 0);
}

/** @returns the most retries in any 100 ms from `fromMs` on */
export function peak(bars: readonly number[], fromMs = 0): number {
  return Math.max(...bars.slice(fromMs / BAR_MS));
}

export function drawRetryWaves(): string {
  const panel = (title: string, strategy: Strategy) => {
    const values = simulate(strategy, seeded(1));
    return { title, values, note: `peak: ${peak(values)}; peak after 1.5 s: ${peak(values, SECOND_WAVE_MS)}` };
  };
  return barChart({
    title: '500 callers retry after being rate limited at the same moment',
    subtitle: 'Up to four retries each; the limiter admits 100 requests per second',
    x: {
      label: 'seconds after the rate limit was hit',
      barWidth: BAR_MS / 1_000,
      ticks: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    },
    y: { label: 'retries per 100 ms', ticks: [0, 250, 500] },
    panels: [
      panel('No jitter', 'none'),
      panel('Equal jitter', 'equal'),
      panel('Full jitter', 'full'),
      panel('Full jitter, first window 5 s', 'wide'),
    ],
  });
}

if (import.meta.main) {
  writeFileSync(new URL('../../docs/retry-waves.svg', import.meta.url), drawRetryWaves());
}
