import { describe, expect, it } from 'vitest';
import { type Figure, isMissed, renderParts } from '../../../bench/harness/figures.ts';
import { insertBetween } from '../../../bench/harness/markdown.ts';
import { alternate, median, medianRatio, percentile } from '../../../bench/harness/measure.ts';

const figure = (ratio: number, at: 'least' | 'most'): Figure => ({
  what: 'writes / floor',
  ratio,
  target: { at, ratio: 0.95, reason: 'The write is longer.' },
  ours: '95/s',
  other: '100/s',
});

describe('a target', () => {
  it.each([
    [0.94, 'least', true],
    [0.95, 'least', false],
    [0.95, 'most', false],
    [0.96, 'most', true],
    [Number.NaN, 'least', true],
    [Number.NaN, 'most', true],
  ] as const)('%d, at %s 0.95: missed is %s', (ratio, at, missed) => {
    expect(isMissed(figure(ratio, at))).toBe(missed);
  });

  it('that is missed stands in the table, with the reason below', () => {
    expect(renderParts([{ name: 'Decision', figures: [figure(0.9, 'least')] }])).toBe(
      [
        '|                | ratio | target        | ours | beside |',
        '| -------------- | ----- | ------------- | ---- | ------ |',
        '| **Decision**   |       |               |      |        |',
        '| writes / floor | 0.90  | ≥ 0.95 missed | 95/s | 100/s  |',
        '',
        '- Missed: writes / floor. The write is longer.',
      ].join('\n'),
    );
  });

  it('those that are missed for one reason share it', () => {
    const figures = [0.9, 0.8].map((ratio, at) => ({ ...figure(ratio, 'least'), what: `row ${at}` }));
    expect(renderParts([{ name: 'Decision', figures }])).toContain('\n\n- Missed: row 0; row 1. The write is longer.');
  });

  it.each([
    [0.9499, 'least', '0.94', '≥ 0.95 missed'],
    [0.9501, 'least', '0.95', '≥ 0.95'],
    [0.9501, 'most', '0.96', '≤ 0.95 missed'],
    [0.9499, 'most', '0.95', '≤ 0.95'],
    [0.95, 'most', '0.95', '≤ 0.95'],
  ] as const)('%d, at %s 0.95, is shown as %s beside %s', (ratio, at, shown, target) => {
    const row = renderParts([{ name: 'Decision', figures: [figure(ratio, at)] }]).split('\n')[3] ?? '';
    const cells = row.split('|').map((cell) => cell.trim());
    expect(cells).toEqual(['', 'writes / floor', shown, target, '95/s', '100/s', '']);
  });

  it('a ratio of thousands has no hundredths', () => {
    const { target: _, ...untargeted } = figure(4_682.54, 'least');
    expect(renderParts([{ name: 'Decision', figures: [untargeted] }])).toContain('| 4,683 |');
  });
});

describe('measuring side by side', () => {
  it('takes turns, every other round backwards, and throws the first round away', async () => {
    const order: string[] = [];
    const contender = (name: string) => () => Promise.resolve(order.push(name));

    const results = await alternate({ a: contender('a'), b: contender('b') }, 2);

    expect(order.join('')).toBe('abbaba');
    expect(results).toEqual({ a: [4, 6], b: [3, 5] });
  });

  it('keeps the first round where nothing warms up', async () => {
    let calls = 0;
    const contender = () => {
      calls += 1;
      return Promise.resolve(calls);
    };
    expect(await alternate({ a: contender }, 2, { warmsUp: false })).toEqual({ a: [1, 2] });
  });

  it('begins no further contender once somebody has stopped it', async () => {
    const stopping = new AbortController();
    let calls = 0;
    const contender = () => {
      calls += 1;
      stopping.abort(new Error('it was stopped.'));
      return Promise.resolve(calls);
    };

    const measured = alternate({ a: contender, b: contender }, 2, { signal: stopping.signal });
    await expect(measured).rejects.toThrow('it was stopped.');
    expect(calls).toBe(1);
  });

  it.each([2, 3, 5])('lets each of %d come first equally often', async (count) => {
    const names = Array.from({ length: count }, (_, index) => `contender ${index}`);
    const calls: string[] = [];
    const contenders = Object.fromEntries(names.map((name) => [name, () => Promise.resolve(calls.push(name))]));

    await alternate(contenders, 2 * count - 1);

    const first = calls.filter((_, call) => call % count === 0);
    expect(first.toSorted()).toEqual([...names, ...names].toSorted());
  });

  it('a ratio is the median of the rounds, and a machine that was slow for one of them does not change it', () => {
    expect(medianRatio([9, 90, 9], [10, 100, 10])).toBeCloseTo(0.9);
  });

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    // The better of two would be no median.
    [[1, 2], 1.5],
    [[7], 7],
  ])('the median of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  it('the 99th percentile of a hundred is the largest', () => {
    expect(
      percentile(
        Array.from({ length: 100 }, (_, at) => at + 1),
        99,
      ),
    ).toBe(100);
  });
});

describe('a place in a document', () => {
  const document = 'before\n<!-- x:begin -->\nold\n<!-- x:end -->\nafter';

  it('is filled anew, and nothing around it is touched', () => {
    expect(insertBetween(document, 'x', 'new')).toBe('before\n<!-- x:begin -->\n\nnew\n\n<!-- x:end -->\nafter');
  });

  it('that is not there is an error', () => {
    expect(() => insertBetween(document, 'y', 'new')).toThrow('The document has no <!-- y:begin -->');
  });
});
