import { describe, expect, it } from 'vitest';
import { parsePolicies } from '../../../limiter/policy/policy.ts';

const fixed = (limit: number, seconds: number) => ({ algorithm: 'fixed', limit, windowMs: seconds * 1_000 });
const sliding = (limit: number, seconds: number) => ({ ...fixed(limit, seconds), algorithm: 'sliding' });
const bucket = (limit: number, seconds: number, burst: number) => ({
  ...fixed(limit, seconds),
  algorithm: 'bucket',
  burst,
});

describe('the text of a limit', () => {
  it.each([
    ['10/1h', [fixed(10, 3_600)]],
    ['1/1s', [fixed(1, 1)]],
    ['90/15m', [fixed(90, 900)]],
    ['500/1d', [fixed(500, 86_400)]],
    ['1000000/31d', [fixed(1_000_000, 31 * 86_400)]],
    ['3/1m,10/1h', [fixed(10, 3_600), fixed(3, 60)]],
    [' 3/1m , 10/1h ', [fixed(10, 3_600), fixed(3, 60)]],
    ['sliding 10/1h', [sliding(10, 3_600)]],
    ['sliding 100/31d', [sliding(100, 31 * 86_400)]],
    ['bucket 10/1h burst 3', [bucket(10, 3_600, 3)]],
    ['bucket 1/1s burst 1', [bucket(1, 1, 1)]],
    ['bucket 1000000/1d burst 1000000', [bucket(1_000_000, 86_400, 1_000_000)]],
    ['3/1m, sliding 10/1h, bucket 50/1d burst 20', [sliding(10, 3_600), fixed(3, 60), bucket(50, 86_400, 20)]],
  ])('%j is parsed, windows before buckets and the longest first', (text, policies) => {
    expect(parsePolicies(text)).toEqual(policies);
  });

  it.each([
    ['', 'is not a limit; expected the form 10/1h'],
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
    ['0/1h', 'to admit none, pause the service instead'],
    ['1000001/1h', 'must admit from 1 to 1000000'],
    ['10/0h', 'must have a window from 1s to 31d'],
    ['10/32d', 'must have a window from 1s to 31d'],
    ['10/1h,5/60m', 'two limits have the same window of 3600 s'],
    ['1/1h,2/1m,3/1h', 'two limits have the same window'],
    ['token 10/1h', 'is not a limit'],
    ['fixed 10/1h', 'is not a limit'],
    ['Sliding 10/1h', 'is not a limit'],
    ['sliding  10/1h', 'is not a limit'],
    ['sliding10/1h', 'is not a limit'],
    ['sliding 10/1h burst 3', 'is not a limit'],
    ['10/1h burst 3', 'is not a limit'],
    ['bucket 10/1h', 'is not a limit'],
    ['bucket 10/1h burst', 'is not a limit'],
    ['bucket 10/1h burst 0', 'must have a burst from 1 to its limit of 10'],
    ['bucket 10/1h burst 11', 'must have a burst from 1 to its limit of 10'],
    ['sliding 101/1h', 'must admit at most 100 calls, because its item has a slot for each call'],
    ['sliding 10/1h,bucket 20/60m burst 5', 'two limits have the same window of 3600 s'],
  ])('%j is an error and never "unlimited"', (text, message) => {
    expect(() => parsePolicies(text)).toThrow(message);
  });
});
