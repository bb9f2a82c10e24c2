/** How a function of the stand-in for Lambda is configured, with Lambda's limits. */
import type { RetrySettings } from './async-queue.ts';

export interface FunctionOptions {
  readonly name: string;
  /** Path of the bundle. */
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the log file. It is emptied first. */
  readonly log: string;
  /** 1 s to 900 s. */
  readonly timeoutMs: number;
  /** The maximum number of events in progress. */
  readonly reservedConcurrency: number | 'off';
  /** Each event in progress has a container to itself, as on Lambda. @default false, where one container handles all events */
  readonly oneAtATime?: boolean;
  readonly asynchronous?: RetrySettings & {
    /** The name of the function that gets a record of each event that was given up. */
    readonly onFailure?: string;
  };
}

/** @throws RangeError that names the first setting that Lambda would refuse */
export function checkFunctions(functions: readonly FunctionOptions[]): void {
  const names = functions.map(({ name }) => name);
  for (const { name, timeoutMs, reservedConcurrency, asynchronous = {} } of functions) {
    const { maximumRetryAttempts, maximumEventAgeSeconds, onFailure } = asynchronous;
    check(
      /^[\w-]{1,64}$/.test(name),
      `name ${JSON.stringify(name)}`,
      '1 to 64 letters, digits, hyphens and underscores',
    );
    check(names.indexOf(name) === names.lastIndexOf(name), `name ${name}`, 'different from those of other functions');
    check(isWithin(timeoutMs / 1_000, 1, 900), `timeoutMs ${timeoutMs}`, 'whole seconds from 1000 to 900000');
    check(
      reservedConcurrency === 'off' || isWithin(reservedConcurrency, 0, Number.MAX_SAFE_INTEGER),
      `reservedConcurrency ${reservedConcurrency}`,
      'a whole number from 0, or "off"',
    );
    check(
      isWithin(maximumRetryAttempts ?? 0, 0, 2),
      `maximumRetryAttempts ${maximumRetryAttempts}`,
      'a whole number from 0 to 2',
    );
    check(
      isWithin(maximumEventAgeSeconds ?? 60, 60, 21_600),
      `maximumEventAgeSeconds ${maximumEventAgeSeconds}`,
      'a whole number from 60 to 21600',
    );
    check(onFailure === undefined || names.includes(onFailure), `onFailure ${onFailure}`, 'the name of a function');
  }
}

function check(isValid: boolean, setting: string, rule: string): void {
  if (!isValid) {
    throw new RangeError(`Invalid ${setting}. It must be ${rule}.`);
  }
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
