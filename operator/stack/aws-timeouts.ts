/**
 * The timeouts of a command's requests to AWS. By default, the SDK waits for ever on an open connection that sends nothing. An
 * operator who types `pause` in an emergency would see no output, not even an error.
 */

/** In milliseconds, for each of the SDK's attempts. AWS answers all requests of these commands within one second. */
const TIMEOUT_MS = 5_000;

/** For the constructor of any of the SDK's clients. */
export const AWS_TIMEOUTS = {
  requestHandler: { connectionTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
} as const;
