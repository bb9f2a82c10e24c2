import { describe, expect, it } from 'vitest';
import { encodeInterval, markCode } from '../../../analyzer/patterns/interval-code.ts';
import { readIntervals } from '../../../analyzer/patterns/interval-ring.ts';
import { findPattern, type Pattern } from '../../../analyzer/patterns/retry-pattern.ts';

/** @param waits milliseconds; `*` marks a wait after a connection */
function patternOf(waits: string): Pattern {
  const codes = waits
    .split(' ')
    .filter((wait) => wait !== '')
    .map((wait) => markCode(encodeInterval(Number(wait.replace('*', ''))), wait.startsWith('*')));
  return findPattern(readIntervals(Uint16Array.from(codes), 0, codes.length));
}

describe('waits', () => {
  it.each([
    ['equal', 'fixed', '1000 1000 1000'],
    ['equal except for network delays', 'fixed', '3004 3001 3000 3005 3002'],
    ['equal except for a stall', 'fixed', '1000 1000 1000 1000 1000 1430 1000 1000 1000 1000 1000 1000'],
    ['equal except for a stall, and few', 'fixed', '1000 1000 1000 3000 1000'],
    ['equal except for one that was shortened by a stall', 'fixed', '1000 1000 1000 1000 1000 1000 50'],
    ['equal except for one, which is not a second client', 'fixed', '1000 1000 1000 1000 1000 3000'],
    ['that double', 'growing_without_jitter', '500 1000 2000 4000 8000'],
    ['that double up to a cap', 'growing_without_jitter', '500 1000 2000 4000 4000 4000 4000'],
    [
      'that double up to a cap that is not a power of two',
      'growing_without_jitter',
      '500 1000 2000 4000 5000 5000 5000',
    ],
    [
      'that double and start again after each success',
      'growing_without_jitter',
      '500 1000 2000 *500 1000 *500 1000 2000',
    ],
    [
      'that fall without a connection in the log',
      'growing_without_jitter',
      '500 1000 2000 4000 500 1000 500 1000 2000',
    ],
    ['that start in the middle of a sequence', 'growing_without_jitter', '2000 4000 8000 500 1000 2000 4000'],
    ['that grow by a factor of 1.3', 'growing_without_jitter', '1000 1300 1690 2197 2856 3713'],
    ['that grow by 1 s each time', 'growing_without_jitter', '1000 2000 3000 4000 5000 6000 7000'],
    ['that grow by less than the first wait', 'growing_without_jitter', '5000 6000 7000 8000 9000 10000 11000 12000'],
    [
      'that grow by 1 s each time up to a cap',
      'growing_without_jitter',
      '1000 2000 3000 4000 5000 5000 5000 5000 5000',
    ],
    [
      'that have grown by 1 s each time for a while',
      'growing_without_jitter',
      '9000 10000 11000 12000 13000 14000 15000 16000 17000 18000 19000 20000',
    ],
    [
      'that have grown so long that network delays exceed the addend',
      'growing_without_jitter',
      '20100 20800 22100 22900 24200 24700 26100 27200 27800 29100 29800 31200 31900 33100 34200 34700 36100 36900 38200 39100',
    ],
    [
      'that grow by 1 s each time, and start in the middle of a sequence',
      'growing_without_jitter',
      '4000 5000 6000 *1000 2000 3000 4000 *1000 2000 3000',
    ],
    ['of two clients', 'several_fixed', '1000 2500 1000 1000 2500 1000 1000 2500 1000'],
    ['of three clients', 'several_fixed', '700 1000 700 2500 700 1000 1000 700 2500 700 1000 700'],
    ['with a quarter random', 'weak_jitter', '912 788 990 760 851 969 803 934 877 771 948 825'],
    [
      'with a quarter random, and doubling',
      'weak_jitter',
      '450 790 1990 3100 6900 15500 26000 63000 99000 246000 420000',
    ],
    ['with half random', 'equal_jitter', '520 980 710 640 890 560 930 770 600 850 510 990'],
    ['completely random', 'full_jitter', '120 880 30 610 440 970 250 700 15 530'],
    ['completely random, and doubling', 'full_jitter', '310 90 1800 700 6100 12000 2500 17000 800 9000'],
    ['fixed and random in turn', 'unclear', '1000 320 1000 1000 780 1000 1310 1000 90 1000 640 1000'],
    [
      'that a server sets in whole seconds',
      'unclear',
      '5000 17000 1000 60000 2000 30000 5000 1000 17000 2000 5000 60000 1000 2000',
    ],
    ['too few to show anything', 'unclear', '1000 1000'],
    ['too few to show randomness', 'unclear', '1000 4000 200 9000'],
    ['too few to show growth', 'unclear', '1000 2000 4000'],
    ['that are missing', 'none', ''],
  ])('%s: %s', (_, name, waits) => {
    expect(patternOf(waits).name).toBe(name);
  });

  it('have a factor and the number of analysed intervals, if they grow', () => {
    expect(patternOf('500 1000 2000 4000 8000')).toMatchObject({ factor: 2, intervals: 5 });
  });

  it('have an addend instead of a factor, if they grow by a sum', () => {
    const pattern = patternOf('5000 6000 7000 8000 9000 10000 11000 12000');
    expect(pattern.addend_ms).toBe(1000);
    expect(pattern).not.toHaveProperty('factor');
  });

  it('have the number of repeated waits, if no rule explains them', () => {
    expect(patternOf('1000 320 1000 1000 780 1000 1310 1000 90 1000 640 1000')).toMatchObject({ repeated: 7 });
    expect(patternOf('120 880 30 610 440 970 250 700 15 530')).not.toHaveProperty('repeated');
  });

  it('have the period of each client behind an address', () => {
    const { periods_ms } = patternOf('1000 2500 1000 1000 2500 1000 1000 2500 1000');
    expect(periods_ms).toEqual([1000, 2500]);
  });

  it.each([3, 50, 200, 999, 1000, 2500, 3000, 7250, 12_500, 30_000, 60_000, 300_000, 3_600_000, 86_400_000])(
    'have a period without false precision: %d',
    (wait) => {
      expect(patternOf(Array(5).fill(wait).join(' ')).periods_ms).toEqual([wait]);
    },
  );

  it('have a higher confidence if there are more of them', () => {
    const confidences = [3, 6, 12].map((count) => patternOf(Array(count).fill('1000').join(' ')).confidence);
    expect(confidences).toEqual(confidences.toSorted((one, other) => one - other));
    expect(confidences[0]).toBeLessThan(0.9995);
  });
});
