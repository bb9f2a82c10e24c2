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
/** For the code itself and for the waits between attempts at AWS. */
const OWN_MS = 1_000;

it.each([
  ['all attempts at OpenAI fit into their deadline', MINT_ATTEMPTS * MINT_TIMEOUT_MS, MINT_DEADLINE_MS],
  ['there is time for OpenAI after slow limits and a slow key', RESERVE_UNTIL_MS + DYNAMODB_MS + SSM_MS, MINT_UNTIL_MS],
  [
    'reservations are released before Lambda ends the function',
    MINT_UNTIL_MS + DYNAMODB_MS + OWN_MS,
    FUNCTION_TIMEOUT_MS,
  ],
  ['INIT waits for all attempts to read the key', SSM_MS, INIT_UNTIL_MS],
  ['CloudFront waits for INIT and the function', INIT_UNTIL_MS + OWN_MS + FUNCTION_TIMEOUT_MS, ORIGIN_TIMEOUT_MS],
  ['the browser waits for CloudFront', ORIGIN_TIMEOUT_MS, BROWSER_TIMEOUT_MS],
])('%s: %i ms fit into %i ms', (_, inner, outer) => {
  expect(inner).toBeLessThanOrEqual(outer);
});
