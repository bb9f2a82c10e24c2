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

/** The worst of many runs. */
function worst(strategy: Strategy, fromMs: number): number {
  return Math.max(...SEEDS.map((seed) => peak(simulate(strategy, seeded(seed)), fromMs)));
}

describe('retries of 500 callers that were limited in the same instant', () => {
  it('come back all at once without jitter', () => {
    const bars = simulate('none', seeded(1));
    expect([peak(bars), bars.filter((count) => count > 0).length]).toEqual([CALLERS, 4]);
  });

  it("full jitter's peak is under a tenth of none's from the second wave on", () => {
    const none = peak(simulate('none', seeded(1)), SECOND_WAVE_MS);
    expect(worst('full', SECOND_WAVE_MS)).toBeLessThan(none / 10);
  });

  it('full jitter spreads them wider than equal jitter from the first wave on', () => {
    expect(worst('full', 0)).toBeLessThan(peak(simulate('equal', seeded(1))));
  });

  it('a wide first window keeps even the first wave under a tenth', () => {
    expect(worst('wide', 0)).toBeLessThan(CALLERS / 10);
  });

  it('the picture in the documentation is what the command draws', () => {
    expect(readFileSync('docs/retry-waves.svg', 'utf8')).toBe(drawRetryWaves());
  });
});
