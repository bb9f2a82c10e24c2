/** What a fleet may be told, and what it is told by default. A wrong value is an error that shows a right one. */
import { DEFAULT_THRESHOLD } from './patterns/core-rule.ts';

export interface FleetOptions {
  /**
   * Of whom statistics are kept: the first that appear. A whole number from 1 to 16,777,216.
   * @default 100_000
   */
  readonly maxClients?: number;
  /**
   * Requests from which on a client counts as rate limited; more than 0.
   * @default 5
   */
  readonly threshold?: number;
  /**
   * How much later than a later one an event may come and still be put in order, in milliseconds.
   * @default 10_000
   */
  readonly latenessMs?: number;
  /**
   * Leading bits of an IPv6 address that are one household, 1 to 128.
   * @default 56
   */
  readonly ipv6Prefix?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

export const DEFAULT_CLIENTS = 100_000;
/** A Map holds no more. */
export const MOST_CLIENTS = 2 ** 24;
export const DEFAULT_LATENESS_MS = 10_000;
const DEFAULT_PREFIX = 56;
const LONGEST_PREFIX = 128;

/** @throws RangeError for a value that is none */
export function withDefaults(options: FleetOptions): Required<FleetOptions> {
  const {
    maxClients = DEFAULT_CLIENTS,
    threshold = DEFAULT_THRESHOLD,
    latenessMs = DEFAULT_LATENESS_MS,
    ipv6Prefix = DEFAULT_PREFIX,
    now = Date.now,
  } = options;
  insist('maxClients', maxClients, isWhole(maxClients, MOST_CLIENTS), `a whole number from 1 to ${MOST_CLIENTS}`);
  insist('threshold', threshold, threshold > 0, 'a number above 0');
  insist('latenessMs', latenessMs, latenessMs >= 0, 'a number from 0 up');
  insist('ipv6Prefix', ipv6Prefix, isWhole(ipv6Prefix, LONGEST_PREFIX), `a whole number from 1 to ${LONGEST_PREFIX}`);
  return { maxClients, threshold, latenessMs, ipv6Prefix, now };
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

function insist(name: string, value: unknown, isRight: boolean, right: string): void {
  if (typeof value !== 'number' || !isRight) {
    const shown = typeof value === 'number' ? value : JSON.stringify(value);
    throw new RangeError(`${name} is ${shown}, and must be ${right}`);
  }
}
