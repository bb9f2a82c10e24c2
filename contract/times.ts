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
/** How long INIT waits for AWS before it leaves the rest to the first request. Loading the code takes a second more. */
export const INIT_UNTIL_MS = 4_000;
/** How long CloudFront waits for the function, INIT included. */
export const ORIGIN_TIMEOUT_MS = 20_000;
/** How long the browser waits for CloudFront. */
export const BROWSER_TIMEOUT_MS = 25_000;

/**
 * Where a request's time goes, counted from its start. The last limit may be asked until 4 s and answers by 6 s; the key
 * is known by 9 s; OpenAI is not waited for after 10 s; places are given back by 12 s, and a replay's lock is taken off by
 * 14 s. That leaves a second of the function's 15, for the waits between AWS's attempts (a tenth of a second each at most)
 * and for the code itself.
 */
export const RESERVE_UNTIL_MS = 4_000;
export const MINT_UNTIL_MS = 10_000;
