/**
 * Every price that `cost` uses, in dollars, with the day it was read. AWS: us-east-1, on demand. Discounts, taxes and free
 * trials are not included. The always-free amounts are per month and account.
 */

/** The day on which this table was last compared with the price lists. */
export const PRICES_READ_ON = '2026-11-30';

/**
 * The price of a minute of conversation: `mini` for models whose name contains "-mini", `other` for the rest. OpenAI charges
 * per token: 10 a second for audio input and 20 a second for audio output. Each turn reads the whole conversation again, so a
 * minute has no fixed price. These are assumptions, on the high side of what people report for calls with long instructions.
 * The price from your own bill is better: --per-minute.
 * [developers.openai.com/api/docs/guides/realtime-costs; frankfu.blog, measured: 0.16 to 0.33 of a mini model]
 */
export const OPENAI_PER_MINUTE = { mini: 0.33, other: 1.1 } as const;

/** OpenAI ends every session after this time. */
export const LONGEST_SESSION_MINUTES = 60;

export interface AwsItem {
  readonly name: string;
  /** The unit, in the plural. */
  readonly unit: string;
  /** Free every month, for accounts of any age. */
  readonly free: number;
  /** Dollars for `per` units beyond the free ones. */
  readonly price: number;
  readonly per: number;
  readonly perKey: number;
  readonly perRefusal: number;
}

const MILLION = 1_000_000;

/** The function's memory. */
export const FUNCTION_GB = 0.25;
/** A key waits for OpenAI, a refusal only for DynamoDB. */
const KEY_SECONDS = 1;
const REFUSAL_SECONDS = 0.05;
/** One line of JSON, and the lines that Lambda itself writes around it. */
const LOG_GB = 1_000 / 1e9;

/**
 * `perRefusal` is for a refusal by the visitor's own limit. A refusal by the limit for everybody writes three times. A refusal
 * that a container has cached does not write.
 */
export const AWS_ITEMS: readonly AwsItem[] = [
  { name: 'DynamoDB writes', unit: 'writes', free: 0, price: 0.625, per: MILLION, perKey: 2, perRefusal: 1 },
  { name: 'DynamoDB reads', unit: 'reads', free: 0, price: 0.125, per: MILLION, perKey: 2, perRefusal: 2 },
  { name: 'Lambda requests', unit: 'requests', free: MILLION, price: 0.2, per: MILLION, perKey: 1, perRefusal: 1 },
  {
    name: 'Lambda compute',
    unit: 'GB-seconds',
    free: 400_000,
    price: 13.3334,
    per: MILLION,
    perKey: KEY_SECONDS * FUNCTION_GB,
    perRefusal: REFUSAL_SECONDS * FUNCTION_GB,
  },
  // One POST each. A cross-origin page also sends a preflight, which CloudFront counts and a browser caches.
  { name: 'CloudFront', unit: 'requests', free: 10 * MILLION, price: 1, per: MILLION, perKey: 1, perRefusal: 1 },
  { name: 'CloudWatch Logs', unit: 'GB', free: 5, price: 0.5, per: 1, perKey: LOG_GB, perRefusal: LOG_GB },
];
