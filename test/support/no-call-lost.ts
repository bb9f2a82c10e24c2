/** Checks that a visitor loses no call if OpenAI fails, on a stack whose limit for a visitor is 100. */
import { expect } from 'vitest';
import type { Mode } from '../../local/openai/keys/mint-failures.ts';
import type { TestStack } from './stack.ts';

/** Status, code, and whether the request may be retried. */
export type Refused = readonly [number, string, boolean];

export const UNAVAILABLE = [503, 'upstream_unavailable', true] as const satisfies Refused;

/** In these modes, the function waits for OpenAI until its timeout. */
export const ENDLESS_MODES = ['hang', 'trickle'] as const satisfies readonly Mode[];
export type EndlessMode = (typeof ENDLESS_MODES)[number];

export const HUNDRED_CALLS = { CLIENT_LIMITS: '100/1d', GLOBAL_LIMITS: '1000/1d' };

export async function expectNoCallLost(
  { openai, counters, visit }: TestStack,
  mode: Mode,
  [status, code, retryable]: Refused,
): Promise<void> {
  openai?.tell({ mode });
  const before = await counters();
  const answer = await visit();

  expect(answer).toMatchObject({ status, json: { status, code, retryable } });
  expect(answer.headers['retry-after']).toBe(retryable ? '5' : undefined);
  expect(answer.headers['x-ratelimit-remaining']).toBe('100');
  expect(nonZero(await counters())).toEqual(nonZero(before));
}

/** A counter that was raised and lowered again still exists, with the value 0. */
function nonZero(counters: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(counters).filter(([, count]) => count !== 0));
}
