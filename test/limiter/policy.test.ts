import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../limiter/policy.ts';

const fixed = (limit: number, seconds: number) => ({ algorithm: 'fixed', limit, windowMs: seconds * 1_000 });

describe('the text of a limit', () => {
  it.each([
    ['10/1h', [fixed(10, 3_600)]],
    ['1/1s', [fixed(1, 1)]],
    ['90/15m', [fixed(90, 900)]],
    ['500/1d', [fixed(500, 86_400)]],
    ['1000000/31d', [fixed(1_000_000, 31 * 86_400)]],
    ['3/1m,10/1h', [fixed(10, 3_600), fixed(3, 60)]],
    [' 3/1m , 10/1h ', [fixed(10, 3_600), fixed(3, 60)]],
  ])('%j is read, longest window first', (text, policies) => {
    expect(parsePolicies(text)).toEqual(policies);
  });

  it.each([
    ['', 'is not a limit such as 10/1h'],
    [' ', 'is not a limit'],
    ['10', 'is not a limit'],
    ['10/h', 'is not a limit'],
    ['10/1w', 'is not a limit'],
    ['10/1H', 'is not a limit'],
    ['-1/1h', 'is not a limit'],
    ['1.5/1h', 'is not a limit'],
    ['1e3/1h', 'is not a limit'],
    ['10/1h,', 'is not a limit'],
    ['10 / 1h', 'is not a limit'],
    ['unlimited', 'is not a limit'],
    ['١٠/1h', 'is not a limit'],
    ['0/1h', 'to admit nobody, pause'],
    ['1000001/1h', 'must admit from 1 to 1000000'],
    ['10/0h', 'must have a window from 1s to 31d'],
    ['10/32d', 'must have a window from 1s to 31d'],
    ['10/1h,5/60m', 'two limits have the same window of 3600 s'],
    ['1/1h,2/1m,3/1h', 'two limits have the same window'],
    ['token 10/1h', 'is not a limit'],
  ])('%j is an error and never "unlimited"', (text, message) => {
    expect(() => parsePolicies(text)).toThrow(message);
  });
});
