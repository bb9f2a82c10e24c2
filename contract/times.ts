/**
 * Timeouts, in milliseconds. Each timeout is shorter than the one around it, so every caller gets an answer instead of a
 * dropped connection. See docs/timeouts.md.
 */

/** Timeout of one attempt at DynamoDB. */
export const DYNAMODB_TIMEOUT_MS = 1_000;
export const DYNAMODB_ATTEMPTS = 2;

/** Timeout of one attempt at SSM. */
export const SSM_TIMEOUT_MS = 1_500;
export const SSM_ATTEMPTS = 2;

/** Timeout of one attempt at OpenAI. */
export const MINT_TIMEOUT_MS = 4_000;
export const MINT_ATTEMPTS = 2;
/** Timeout of all attempts at OpenAI, including the waits between them. */
export const MINT_DEADLINE_MS = 9_000;

export const FUNCTION_TIMEOUT_MS = 15_000;
/** How long INIT waits for AWS. What is not read by then is read by the first request. Loading the code takes another second. */
export const INIT_UNTIL_MS = 4_000;
/** How long CloudFront waits for the function, including INIT. */
export const ORIGIN_TIMEOUT_MS = 20_000;
/** How long the browser waits for CloudFront. */
export const BROWSER_TIMEOUT_MS = 25_000;

/**
 * How a request spends its time, counted from its start. The last limit is checked at 4 s at the latest, and DynamoDB answers by
 * 6 s. The API key is read by 9 s. The request stops waiting for OpenAI at 10 s. Reservations are released by 12 s, and the
 * lock of an Idempotency-Key by 14 s. The remaining second of the function's 15 is for the waits between attempts at AWS (at most
 * a tenth of a second each) and for the code itself.
 */
export const RESERVE_UNTIL_MS = 4_000;
export const MINT_UNTIL_MS = 10_000;
