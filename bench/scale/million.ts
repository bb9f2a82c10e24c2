/** What a million of each outcome takes of DynamoDB, and what it costs in all, beyond everything that is free. */
import { AWS_ITEMS } from '../../operator/commands/prices.ts';
import { markdownTable } from '../harness/markdown.ts';

export interface Outcome {
  readonly name: string;
  readonly reads: number;
  readonly writes: number;
  /** How long the function runs for it: as long as for a key, or as for a refusal. */
  readonly as: 'perKey' | 'perRefusal';
}

/** Units of a table on demand; test/bench/scale.test.ts counts them. Each item is below 1 KB. */
export const OUTCOMES: readonly Outcome[] = [
  { name: 'a key', reads: 2, writes: 2, as: 'perKey' },
  { name: 'a key that OpenAI did not give, its places given back', reads: 2, writes: 4, as: 'perKey' },
  { name: "a refusal by the visitor's limit", reads: 2, writes: 1, as: 'perRefusal' },
  { name: 'a refusal by the limit for everybody', reads: 2, writes: 3, as: 'perRefusal' },
  { name: 'a refusal that the container knows', reads: 0, writes: 0, as: 'perRefusal' },
  { name: 'the same with an Idempotency-Key', reads: 3, writes: 0, as: 'perRefusal' },
  { name: 'a request while paused or blocked', reads: 2, writes: 0, as: 'perRefusal' },
];

const MILLION = 1_000_000;

/** Dollars for so much of an item of the price list, as if nothing were free. */
export function dollarsFor(name: string, used: number): number {
  const item = AWS_ITEMS.find((each) => each.name === name);
  if (item === undefined) {
    throw new TypeError(`There is no price for ${name}.`);
  }
  return (used / item.per) * item.price;
}

/** Lambda, the log and CloudFront, for so many requests of a kind. */
export function dollarsBesideDynamoDb(requests: number, as: Outcome['as']): number {
  const others = AWS_ITEMS.filter(({ name }) => !name.startsWith('DynamoDB'));
  return others.reduce((sum, item) => sum + dollarsFor(item.name, requests * item[as]), 0);
}

export function renderMillion(): string {
  const rows = OUTCOMES.map(({ name, reads, writes, as }) => {
    const dynamodb = dollarsFor('DynamoDB reads', reads * MILLION) + dollarsFor('DynamoDB writes', writes * MILLION);
    const beside = dollarsBesideDynamoDb(MILLION, as);
    return [name, `${reads} M`, `${writes} M`, dollars(dynamodb), dollars(beside), dollars(dynamodb + beside)];
  });
  return markdownTable([
    ['a million of', 'reads', 'writes', 'DynamoDB', 'Lambda, log, CloudFront', 'together'],
    ...rows,
  ]);
}

export function dollars(value: number): string {
  return `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}
