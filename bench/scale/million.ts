/** The DynamoDB requests and the total cost of a million requests with each outcome, beyond the free amounts. */
import { AWS_ITEMS } from '../../operator/commands/prices.ts';
import { markdownTable } from '../harness/markdown.ts';

export interface Outcome {
  readonly name: string;
  readonly reads: number;
  readonly writes: number;
  /** Which price applies: the function runs as long as for a key, or as for a refusal. */
  readonly priced: 'perKey' | 'perRefusal';
}

/** Units of an on-demand table, counted by test/bench/scale.test.ts. Each item is smaller than 1 KB. */
export const OUTCOMES: readonly Outcome[] = [
  { name: 'key issued', reads: 2, writes: 2, priced: 'perKey' },
  { name: 'OpenAI issues no key; reservations released', reads: 2, writes: 4, priced: 'perKey' },
  { name: 'refusal: limit of the visitor', reads: 2, writes: 1, priced: 'perRefusal' },
  { name: 'refusal: limit for all visitors', reads: 2, writes: 3, priced: 'perRefusal' },
  { name: 'refusal from the cache of a container', reads: 0, writes: 0, priced: 'perRefusal' },
  { name: 'the same, with an Idempotency-Key', reads: 3, writes: 0, priced: 'perRefusal' },
  { name: 'request while paused or blocked', reads: 2, writes: 0, priced: 'perRefusal' },
];

const MILLION = 1_000_000;

/** @returns the dollars for an amount of one item of the price list, without the free amounts */
export function dollarsFor(name: string, used: number): number {
  const item = AWS_ITEMS.find((each) => each.name === name);
  if (item === undefined) {
    throw new TypeError(`Unknown item of the price list: ${name}.`);
  }
  return (used / item.per) * item.price;
}

/** @returns the dollars of Lambda, the log and CloudFront for a number of requests */
export function dollarsWithoutDynamoDb(requests: number, priced: Outcome['priced']): number {
  const others = AWS_ITEMS.filter(({ name }) => !name.startsWith('DynamoDB'));
  return others.reduce((sum, item) => sum + dollarsFor(item.name, requests * item[priced]), 0);
}

export function renderMillion(): string {
  const rows = OUTCOMES.map(({ name, reads, writes, priced }) => {
    const dynamodb = dollarsFor('DynamoDB reads', reads * MILLION) + dollarsFor('DynamoDB writes', writes * MILLION);
    const others = dollarsWithoutDynamoDb(MILLION, priced);
    return [name, `${reads} M`, `${writes} M`, dollars(dynamodb), dollars(others), dollars(dynamodb + others)];
  });
  return markdownTable([
    ['one million of', 'reads', 'writes', 'DynamoDB', 'Lambda, log, CloudFront', 'total'],
    ...rows,
  ]);
}

export function dollars(value: number): string {
  return `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}
