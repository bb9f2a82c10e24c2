/**
 * How long a command waits for AWS. Of itself the SDK waits for ever on a connection that stays open and silent, and
 * whoever types `pause` in an emergency would see nothing, not even that it failed.
 */

/** Milliseconds, of each of the SDK's attempts. All that is asked here is answered within one second. */
const SILENCE_MS = 5_000;

/** For the constructor of any client of the SDK's. */
export const PATIENCE = {
  requestHandler: { connectionTimeout: SILENCE_MS, socketTimeout: SILENCE_MS },
} as const;
