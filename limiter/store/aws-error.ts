/** Reads errors of the AWS SDK, and makes them safe to log. */

/**
 * Whether AWS sent a complete response that rejects the request as invalid. If a response was cut off, or did not come from AWS,
 * its status means nothing, whether it is 200 or 400.
 */
export function isRefusal(error: unknown): boolean {
  return (error as { readonly $fault?: unknown } | null | undefined)?.$fault === 'client';
}

/** Name and message for a log. The message of a parser is left out, because it quotes its input, which may be a secret. */
export function nameAndMessage(error: unknown): { readonly name: string; readonly message: string } {
  if (!(error instanceof Error)) {
    return { name: 'Unknown', message: String(error) };
  }
  const { name, message } = error;
  return { name, message: error instanceof SyntaxError ? 'the response is not JSON' : message };
}
