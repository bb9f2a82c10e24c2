/** The options of a fleet with their defaults. An invalid value is an error that says which values are valid. */
import { DEFAULT_THRESHOLD } from './patterns/core-rule.ts';

export interface FleetOptions {
  /**
   * Number of clients to keep statistics for: the first ones that appear. A whole number from 1 to 16,777,216.
   * @default 100_000
   */
  readonly maxClients?: number;
  /**
   * Number of requests at which a client counts as rate limited; more than 0.
   * @default 5
   */
  readonly threshold?: number;
  /**
   * How far behind the newest event, in milliseconds, an event may be and still be put in order.
   * @default 10_000
   */
  readonly latenessMs?: number;
  /**
   * Number of leading bits of an IPv6 address that identify one household, 1 to 128.
   * @default 56
   */
  readonly ipv6Prefix?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

export const DEFAULT_CLIENTS = 100_000;
/** A Map cannot hold more entries. */
export const MOST_CLIENTS = 2 ** 24;
export const DEFAULT_LATENESS_MS = 10_000;
const DEFAULT_PREFIX = 56;
const LONGEST_PREFIX = 128;

/** @throws RangeError if a value is invalid */
export function withDefaults(options: FleetOptions): Required<FleetOptions> {
  const {
    maxClients = DEFAULT_CLIENTS,
    threshold = DEFAULT_THRESHOLD,
    latenessMs = DEFAULT_LATENESS_MS,
    ipv6Prefix = DEFAULT_PREFIX,
    now = Date.now,
  } = options;
  check('maxClients', maxClients, isWhole(maxClients, MOST_CLIENTS), `a whole number from 1 to ${MOST_CLIENTS}`);
  check('threshold', threshold, threshold > 0, 'a number greater than 0');
  check('latenessMs', latenessMs, latenessMs >= 0, 'a number that is 0 or greater');
  check('ipv6Prefix', ipv6Prefix, isWhole(ipv6Prefix, LONGEST_PREFIX), `a whole number from 1 to ${LONGEST_PREFIX}`);
  return { maxClients, threshold, latenessMs, ipv6Prefix, now };
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

function check(name: string, value: unknown, isValid: boolean, expected: string): void {
  if (typeof value !== 'number' || !isValid) {
    const shown = typeof value === 'number' ? value : JSON.stringify(value);
    throw new RangeError(`${name} is ${shown}, but must be ${expected}`);
  }
}
