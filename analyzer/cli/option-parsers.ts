/** The values of options, each read by its grammar. What is wrong is said with a right value beside it. */
import { InvalidArgumentError } from 'commander';
import { FAULTS, type Fault } from './fail-on.ts';

const DURATION = /^(\d{1,9})(ms|s|m|h)$/;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const WHOLE_NUMBER = /^\d{1,15}$/;

/** From 1 up. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const count = WHOLE_NUMBER.test(text) ? Number(text) : 0;
    if (count < 1 || count > most) {
      throw new InvalidArgumentError(
        `It must be a whole number from 1 to ${most}, without separators. A right value: 5`,
      );
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
      'It must be a whole number of nine digits at most, and ms, s, m or h. A right value: 10s',
    );
  }
  return Number(count) * factor;
}

export function parseFault(text: string): Fault {
  const fault = FAULTS.find((name) => name === text.toUpperCase());
  if (fault === undefined) {
    throw new InvalidArgumentError(`It must be one of ${FAULTS.join(', ')}.`);
  }
  return fault;
}

/** Behind one another: `--input a b --input c`. */
export function collectPaths(path: string, before: readonly string[] = []): string[] {
  return [...before, path];
}
