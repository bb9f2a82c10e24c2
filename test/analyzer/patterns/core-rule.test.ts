import { describe, expect, it } from 'vitest';
import { assess, type RiskLevel } from '../../../analyzer/patterns/core-rule.ts';

/** The rule's input for exactly these intervals. */
function observed(totalRequests: number, intervals: readonly number[], threshold = 5) {
  const count = intervals.length;
  const mean = intervals.reduce((sum, interval) => sum + interval, 0) / count;
  const variance = intervals.reduce((sum, interval) => sum + (interval - mean) ** 2, 0) / count;
  return { totalRequests, intervals: { count, mean, deviation: Math.sqrt(variance) }, threshold };
}

describe('has_jitter', () => {
  it.each<[string, readonly number[], boolean]>([
    ['no interval', [], true],
    ['one interval', [1000], false],
    ['one interval of 0', [0], false],
    ['equal intervals', [1000, 1000, 1000], false],
    ['a mean of 0', [0, 0], true],
    ['a variation of 0.0499', [950.1, 1049.9], false],
    ['a variation of exactly 0.05', [950, 1050], true],
    ['a variation of 0.0501', [949.9, 1050.1], true],
    ['0 and another interval', [0, 1000], true],
  ])('%s', (_, intervals, jitters) => {
    expect(assess(observed(1, intervals)).has_jitter).toBe(jitters);
  });
});

describe('risk_level and is_rate_limited', () => {
  const steady = [1000, 1000];
  const spread = [1200, 2450];

  it.each<[number, number, readonly number[], RiskLevel, boolean]>([
    // An odd threshold: half of 5 is between 2 and 3.
    [5, 1, steady, 'LOW', false],
    [5, 2, steady, 'LOW', false],
    [5, 3, steady, 'MEDIUM', true],
    [5, 4, steady, 'MEDIUM', true],
    [5, 5, steady, 'CRITICAL', true],
    [5, 6, steady, 'CRITICAL', true],
    [5, 4, spread, 'LOW', false],
    [5, 5, spread, 'HIGH', true],
    // An even threshold: half of 6 is exactly 3.
    [6, 2, steady, 'LOW', false],
    [6, 3, steady, 'MEDIUM', true],
    [6, 5, steady, 'MEDIUM', true],
    [6, 6, steady, 'CRITICAL', true],
    [6, 5, spread, 'LOW', false],
    [6, 6, spread, 'HIGH', true],
    [1, 1, steady, 'CRITICAL', true],
    // Without intervals, only the number of requests counts.
    [5, 4, [], 'LOW', false],
    [5, 5, [], 'HIGH', true],
  ])('threshold %d, %d requests at %j: %s', (threshold, requests, intervals, risk_level, is_rate_limited) => {
    expect(assess(observed(requests, intervals, threshold))).toMatchObject({ risk_level, is_rate_limited });
  });
});

describe('avg_retry_interval_ms', () => {
  it.each<[readonly number[], number]>([
    [[], 0],
    [[1000], 1000],
    [[1200, 2450], 1825],
    [[1, 1, 2], 1.33],
    [[1, 2, 2], 1.67],
    [[0.125], 0.13],
    [[1e21, 1e21], 1e21],
  ])('%j: %d', (intervals, average) => {
    expect(assess(observed(1, intervals)).avg_retry_interval_ms).toBe(average);
  });
});
