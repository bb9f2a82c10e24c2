import { expect, it } from 'vitest';
import {
  BROWSER_TIMEOUT_MS,
  DYNAMODB_ATTEMPTS,
  DYNAMODB_TIMEOUT_MS,
  FUNCTION_TIMEOUT_MS,
  INIT_UNTIL_MS,
  MINT_ATTEMPTS,
  MINT_DEADLINE_MS,
  MINT_TIMEOUT_MS,
  MINT_UNTIL_MS,
  ORIGIN_TIMEOUT_MS,
  RESERVE_UNTIL_MS,
  SSM_ATTEMPTS,
  SSM_TIMEOUT_MS,
} from '../../contract/times.ts';

const DYNAMODB_MS = DYNAMODB_ATTEMPTS * DYNAMODB_TIMEOUT_MS;
const SSM_MS = SSM_ATTEMPTS * SSM_TIMEOUT_MS;
/** For the code itself, and the waits between AWS's attempts. */
const OWN_MS = 1_000;

it.each([
  ['all attempts at OpenAI fit into the time for them', MINT_ATTEMPTS * MINT_TIMEOUT_MS, MINT_DEADLINE_MS],
  ['OpenAI is still asked after slow limits and a slow key', RESERVE_UNTIL_MS + DYNAMODB_MS + SSM_MS, MINT_UNTIL_MS],
  ['places are given back before the function is ended', MINT_UNTIL_MS + DYNAMODB_MS + OWN_MS, FUNCTION_TIMEOUT_MS],
  ['INIT waits for the key, if it comes at all', SSM_MS, INIT_UNTIL_MS],
  ['CloudFront waits for INIT and the function', INIT_UNTIL_MS + OWN_MS + FUNCTION_TIMEOUT_MS, ORIGIN_TIMEOUT_MS],
  ['the browser waits for CloudFront', ORIGIN_TIMEOUT_MS, BROWSER_TIMEOUT_MS],
])('%s: %i ms fit into %i ms', (_, inner, outer) => {
  expect(inner).toBeLessThanOrEqual(outer);
});
