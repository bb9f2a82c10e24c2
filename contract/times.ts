/**
 * Times that nest: each fits inside the next one out, so that whoever waits longest hears an answer and not silence.
 * All in milliseconds.
 */

/** One attempt at DynamoDB, of {@link DYNAMODB_ATTEMPTS}. */
export const DYNAMODB_TIMEOUT_MS = 1_000;
export const DYNAMODB_ATTEMPTS = 2;

/** One attempt at SSM, of {@link SSM_ATTEMPTS}. */
export const SSM_TIMEOUT_MS = 1_500;
export const SSM_ATTEMPTS = 2;

/** One attempt at OpenAI, of {@link MINT_ATTEMPTS}. */
export const MINT_TIMEOUT_MS = 4_000;
export const MINT_ATTEMPTS = 2;
/** All attempts at OpenAI and the waits between them. */
export const MINT_DEADLINE_MS = 9_000;

export const FUNCTION_TIMEOUT_MS = 15_000;
/** How long CloudFront waits for the function. */
export const ORIGIN_TIMEOUT_MS = 20_000;
/** How long the browser waits for CloudFront. */
export const BROWSER_TIMEOUT_MS = 25_000;

/**
 * Where a request's time goes, counted from its start. A limit may be asked until the first mark and then take its own
 * 2 s. Key and OpenAI end at the second. Then places are given back and a replay's lock is taken off, 2 s each, and that leaves
 * a second of the function's 15.
 */
export const RESERVE_UNTIL_MS = 4_000;
export const MINT_UNTIL_MS = 10_000;
