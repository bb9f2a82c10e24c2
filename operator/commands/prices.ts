/**
 * Every price that `cost` uses, in dollars, with the day it was read. AWS: us-east-1, on demand. Nothing here knows of a
 * discount, a tax or a free trial; the always-free amounts are per month and account.
 */

/** When somebody last compared this table with the price lists. */
export const PRICES_READ_ON = '2026-11-30';

/**
 * A minute of conversation, by what the model's name ends in. OpenAI sells tokens: 10 a second heard and 20 a second
 * spoken, and everything said so far is read again at each turn, so a minute has no fixed price. These are assumptions, on
 * the high side of what people report of calls with long instructions; your own bill is better: --per-minute.
 * [developers.openai.com/api/docs/guides/realtime-costs; frankfu.blog, measured: 0.16 to 0.33 of a mini model]
 */
export const OPENAI_PER_MINUTE = { mini: 0.33, other: 1.1 } as const;

/** A session ends then, whatever its holder does. */
export const LONGEST_SESSION_MINUTES = 60;

export interface AwsItem {
  readonly name: string;
  /** What is counted, in the plural. */
  readonly unit: string;
  /** Free every month, whatever the account's age. */
  readonly free: number;
  /** Dollars for `per` of the unit beyond that. */
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
/** One line of JSON, with what Lambda itself writes around it. */
const LOG_GB = 1_000 / 1e9;

/** By the visitor's own limit; one by the limit for everybody writes three times, and one that a container remembers not at all. */
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
  // A POST each; a cross-origin page sends a preflight besides, which CloudFront counts and a browser remembers.
  { name: 'CloudFront', unit: 'requests', free: 10 * MILLION, price: 1, per: MILLION, perKey: 1, perRefusal: 1 },
  { name: 'CloudWatch Logs', unit: 'GB', free: 5, price: 0.5, per: 1, perKey: LOG_GB, perRefusal: LOG_GB },
];
