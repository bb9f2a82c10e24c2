import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../bench/harness/progress.ts';

function watched(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const progress = createProgress({ isTTY, write: (text) => written.push(text) }, () => now);
  return {
    written,
    at: (ms: number, ...step: Parameters<typeof progress>) => {
      now = ms;
      progress(...step);
    },
  };
}

describe('progress', () => {
  it('is one line that moves ten times a second at most on a terminal', () => {
    const { written, at } = watched(true);
    at(0, 'one', 1, 2_000);
    at(50, 'one', 2, 2_000);
    at(1_000, 'one', 1_500, 2_000);
    at(1_001, 'one', 2_000, 2_000);

    expect(written).toEqual([
      '\r\u001b[Kone: 1 of 2,000 calls',
      '\r\u001b[Kone: 1,500 of 2,000 calls, 1,500 a second',
      '\r\u001b[Kone: 2,000 of 2,000 calls, 1,998 a second\n',
    ]);
  });

  it('is one plain line for each part elsewhere, with the rate of that part', () => {
    const { written, at } = watched(false);
    at(0, 'one', 1, 2);
    at(1_000, 'one', 2, 2);
    at(2_000, 'two', 1, 2);
    at(4_000, 'two', 2, 2);

    expect(written).toEqual(['one: 2 of 2 calls, 2 a second\n', 'two: 2 of 2 calls, 1 a second\n']);
  });
});
