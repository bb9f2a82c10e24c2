import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../bench/harness/seeded.ts';
import {
  CALLERS,
  drawRetryWaves,
  peak,
  SECOND_WAVE_MS,
  type Strategy,
  simulate,
} from '../../../bench/pictures/retry-waves.ts';

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);

/** The highest peak of several runs. */
function worst(strategy: Strategy, fromMs: number): number {
  return Math.max(...SEEDS.map((seed) => peak(simulate(strategy, seeded(seed)), fromMs)));
}

describe('retries of 500 callers that were rate limited at the same moment', () => {
  it('arrive all at once without jitter', () => {
    const bars = simulate('none', seeded(1));
    expect([peak(bars), bars.filter((count) => count > 0).length]).toEqual([CALLERS, 4]);
  });

  it('have a peak with full jitter, from the second wave on, of less than a tenth of the peak without jitter', () => {
    const none = peak(simulate('none', seeded(1)), SECOND_WAVE_MS);
    expect(worst('full', SECOND_WAVE_MS)).toBeLessThan(none / 10);
  });

  it('spread further with full jitter than with equal jitter, from the first wave on', () => {
    expect(worst('full', 0)).toBeLessThan(peak(simulate('equal', seeded(1))));
  });

  it('have a first wave of less than a tenth of the callers with a wide first window', () => {
    expect(worst('wide', 0)).toBeLessThan(CALLERS / 10);
  });

  it('are drawn as in the documentation', () => {
    expect(readFileSync('docs/retry-waves.svg', 'utf8')).toBe(drawRetryWaves());
  });
});
