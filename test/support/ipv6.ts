/**
 * Random IPv6 addresses and spellings: upper and lower case, leading zeros, "::" for any run of zeros (RFC 4291 allows it anywhere,
 * also for a single group), and the last two groups as four octets.
 */
import fc from 'fast-check';

/** Eight groups. Zeros and ffff are frequent, so that runs of zeros and mapped addresses are too. */
export const anyGroups: fc.Arbitrary<readonly number[]> = fc.oneof(
  groups(8),
  groups(2).map((last) => [0, 0, 0, 0, 0, 0xffff, ...last]),
  groups(3).map((last) => [0, 0, 0, 0, 0, ...last]),
);

function groups(length: number): fc.Arbitrary<number[]> {
  const group = fc.oneof(fc.constantFrom(0, 0xffff), fc.integer({ min: 0, max: 0xffff }));
  return fc.array(group, { minLength: length, maxLength: length });
}

export interface Spelling {
  /** The minimum number of digits of each group. */
  readonly digits: readonly number[];
  readonly upperCase: readonly boolean[];
  readonly dotted: boolean;
  /** The index of the run of zeros that "::" replaces; no run if the index is too high. */
  readonly omitted: number;
}

export const anySpelling: fc.Arbitrary<Spelling> = fc.record({
  digits: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 8, maxLength: 8 }),
  upperCase: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  dotted: fc.boolean(),
  omitted: fc.nat({ max: 40 }),
});

export function spell(groups: readonly number[], { digits, upperCase, dotted, omitted }: Spelling): string {
  const words = groups.map((group, index) => {
    const word = group.toString(16).padStart(digits[index] ?? 1, '0');
    return upperCase[index] ? word.toUpperCase() : word;
  });
  if (dotted) {
    const [high = 0, low = 0] = groups.slice(6);
    words.splice(6, 2, [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.'));
  }
  const run = runsOfZeros(groups.slice(0, words.length - (dotted ? 1 : 0)))[omitted];
  if (run === undefined) {
    return words.join(':');
  }
  return `${words.slice(0, run.from).join(':')}::${words.slice(run.to).join(':')}`;
}

/** @returns every run of zeros, including parts of longer runs */
function runsOfZeros(groups: readonly number[]): readonly { readonly from: number; readonly to: number }[] {
  return groups.flatMap((_, from) => {
    const end = groups.findIndex((group, index) => index >= from && group !== 0);
    const length = (end < 0 ? groups.length : end) - from;
    return Array.from({ length }, (__, index) => ({ from, to: from + index + 1 }));
  });
}

/** @returns the address as one number of 128 bits */
export function bits(groups: readonly number[]): bigint {
  return groups.reduce((address, group) => (address << 16n) | BigInt(group), 0n);
}
