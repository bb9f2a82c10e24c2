/**
 * `cost`: estimates the cost of a month with a number of keys and refusals. First OpenAI, where most of the cost is: the worst
 * case, in which every session lasts as long as a session can. Then AWS, item by item.
 */

import { count, dollars, plural } from '../output/terminal-text.ts';
import { AWS_ITEMS, LONGEST_SESSION_MINUTES, OPENAI_PER_MINUTE, PRICES_READ_ON } from './prices.ts';

export interface CostOptions {
  readonly keys: number;
  readonly refused: number;
  readonly model: string;
  /** How many sessions each key opens. A key can open several until it expires; only OpenAI could limit that. */
  readonly sessions: number;
  /** Dollars per minute. @default an estimate that depends on the model's name */
  readonly perMinute?: number | undefined;
}

export interface CostReport {
  readonly pricesReadOn: string;
  readonly keys: number;
  readonly refused: number;
  readonly openai: {
    readonly model: string;
    readonly sessions: number;
    readonly minutes: number;
    readonly perMinute: number;
    readonly dollars: number;
  };
  readonly aws: {
    readonly items: readonly AwsCost[];
    readonly dollars: number;
  };
}

export interface AwsCost {
  readonly name: string;
  readonly unit: string;
  readonly used: number;
  readonly free: number;
  readonly dollars: number;
}

export function cost({ keys, refused, model, sessions, perMinute }: CostOptions): CostReport {
  const minutes = keys * sessions * LONGEST_SESSION_MINUTES;
  const price = perMinute ?? (/-mini(?:-|$)/.test(model) ? OPENAI_PER_MINUTE.mini : OPENAI_PER_MINUTE.other);
  const items = AWS_ITEMS.map(({ name, unit, free, price: each, per, perKey, perRefusal }) => {
    const used = keys * perKey + refused * perRefusal;
    return { name, unit, used, free, dollars: (Math.max(0, used - free) / per) * each };
  });
  return {
    pricesReadOn: PRICES_READ_ON,
    keys,
    refused,
    openai: { model, sessions, minutes, perMinute: price, dollars: minutes * price },
    aws: { items, dollars: items.reduce((sum, item) => sum + item.dollars, 0) },
  };
}

export function renderCost({ pricesReadOn, keys, refused, openai, aws }: CostReport): string {
  const { model, sessions, minutes, perMinute, dollars: worst } = openai;
  return [
    `${plural(keys, 'key')} and ${plural(refused, 'refusal')} in one month`,
    '',
    `  OpenAI, worst case    ${dollars(worst)}`,
    `      ${plural(keys, 'key')} x ${plural(sessions, 'session')} of ${LONGEST_SESSION_MINUTES} minutes = ${count(minutes)} minutes of ${model}, at an assumed ${dollars(perMinute)} a minute`,
    '      A key can open more sessions than that. Only the budget of your OpenAI project limits this cost.',
    '',
    `  AWS                   ${dollars(aws.dollars)}`,
    ...aws.items.map(
      (item) =>
        `      ${item.name.padEnd(18)}${dollars(item.dollars).padStart(10)}   ${plural(roundedUp(item.used), item.unit.replace(/s$/, ''), item.unit)}, ${item.free === 0 ? 'none free' : `${count(item.free)} free`}`,
    ),
    "      This assumes refusals by the visitor's own limit. A refusal by the limit for everybody costs two more writes.",
    '',
    `  Prices of ${pricesReadOn}, us-east-1. AWS Budgets do not include OpenAI's charges.`,
  ].join('\n');
}

function roundedUp(used: number): number {
  return used >= 10 ? Math.ceil(used) : Math.ceil(used * 1_000) / 1_000;
}
