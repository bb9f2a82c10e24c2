/** Parses the values of options. The error for an invalid value says what was expected and shows a valid example. */
import { InvalidArgumentError } from 'commander';
import { FAULTS, type Fault } from './fail-on.ts';

const DURATION = /^(\d{1,9})(ms|s|m|h)$/;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const WHOLE_NUMBER = /^\d{1,15}$/;

/** Parses a whole number from 1 to `most`. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const count = WHOLE_NUMBER.test(text) ? Number(text) : 0;
    if (count < 1 || count > most) {
      throw new InvalidArgumentError(`Expected a whole number from 1 to ${most}, without separators. For example: 5`);
    }
    return count;
  };
}

/** @returns milliseconds */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined) {
    throw new InvalidArgumentError(
      'Expected a whole number of at most nine digits, followed by ms, s, m or h. For example: 10s',
    );
  }
  return Number(count) * factor;
}

export function parseFault(text: string): Fault {
  const fault = FAULTS.find((name) => name === text.toUpperCase());
  if (fault === undefined) {
    throw new InvalidArgumentError(`Expected one of ${FAULTS.join(', ')}.`);
  }
  return fault;
}

/** Collects repeated values: `--input a b --input c`. */
export function collectPaths(path: string, before: readonly string[] = []): string[] {
  return [...before, path];
}
